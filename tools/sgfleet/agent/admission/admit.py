"""Calls the checks, in order. The first that has something against the unit decides."""

from __future__ import annotations

import traceback
from importlib import import_module
from typing import TYPE_CHECKING, Final

from sgfleet.agent.reason import Reason
from sgfleet.systemd.port import SystemdError

if TYPE_CHECKING:
    from sgfleet.agent.admission.situation import Situation

CHECKS: Final = (
    "gpu",
    "facts",
    "spec",
    "memory",
    "memlock",
    "model",
    "python",
    "accounts",
    "access",
    "environment",
    "port",
    "unit",
    "room",
)
"""Modules with `check(situation) -> Reason | None`. The hardware first: it is why a spec no longer holds on this host,
and what the cause is helps a person more than what follows from it.
"""


def admit(situation: Situation) -> Reason | None:
    """Why the unit may not be applied now; None where nothing speaks against it. Nothing on the host is changed."""
    for name in CHECKS:
        try:
            reason: Reason | None = import_module(f"sgfleet.agent.admission.{name}").check(situation)
        except Exception as error:  # whatever it is: what could not be checked does not pass
            return _failed(name, error)
        if reason is not None:
            return reason
    return None


def _failed(name: str, error: Exception) -> Reason:
    """Of errors that are not about the host only type and place are told: their message may quote a secret."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__} in {'/'.join(frame.filename.split('/')[-2:])}:{frame.lineno}"
    if isinstance(error, OSError | SystemdError):
        what = str(error)
    help_ = "nothing was changed; the next passes try again"
    return Reason("check-failed", f"the check of {name} did not come to an end: {what}", help_)
