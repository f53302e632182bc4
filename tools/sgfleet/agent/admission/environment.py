"""Check: the files and the folder that systemd needs before it starts the process.

A missing EnvironmentFile= or WorkingDirectory= fails the start at once, and a secret that no file holds leaves a server
that refuses its clients. The secret itself is read, and never told.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sgfleet.agent.reason import Reason
from sgfleet.agent.secret_file import SecretFileError, value_of

if TYPE_CHECKING:
    from sgfleet.agent.admission.situation import Situation


def check(situation: Situation) -> Reason | None:
    """The first that is missing."""
    service = situation.service
    for path in service.environment_files:
        if not Path(path).is_file():
            text = f"{path} is not there, or is no plain file (EnvironmentFile= of the unit)"
            return Reason("environment", text, "write it on this host, readable by root alone")
    for flag, variable in service.secrets.items():
        if variable in service.environment:
            continue
        try:
            value_of(variable, service.environment_files)
        except SecretFileError as error:
            return Reason("environment", f"--{flag} has no value: {error}", f"write {variable}= into one of them")
    folder = service.working_directory
    if folder is not None and not Path(folder).is_dir():
        return Reason("environment", f"there is no folder {folder} (WorkingDirectory= of the unit)", f"mkdir {folder}")
    return None
