"""Check: the interpreter is there, and can be executed.

It is not run: what an environment does when it is imported is the engine's business, and takes seconds and a GPU.
"""

from __future__ import annotations

import stat
from pathlib import Path
from typing import TYPE_CHECKING

from sgfleet.agent.reason import Reason

if TYPE_CHECKING:
    from sgfleet.agent.admission.situation import Situation


def check(situation: Situation) -> Reason | None:
    """What keeps systemd from starting it (it would end with status 203)."""
    path = Path(situation.service.python)
    trouble = _trouble(path)
    if trouble is None:
        return None
    help_ = f"install the environment of SGLang {situation.service.release} there, or mend python: in the spec"
    return Reason("python", f"{path} {trouble}", help_)


def _trouble(path: Path) -> str | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return "is a link to what is not there" if path.is_symlink() else "is not there"
    if not stat.S_ISREG(found.st_mode):
        return "is no regular file"
    if not found.st_size:
        return "is empty"
    return None if found.st_mode & 0o111 else "is not executable"
