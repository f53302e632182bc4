"""The host's own command for each transition: to page somebody, to drain a load balancer. It decides nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sgfleet.source.process import TooMuchError, TooSlowError, run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TIMEOUT_SECONDS: Final = 30.0
MOST_BYTES: Final = 2**16
_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_MOST_REASON: Final = 4000
_KEYS: Final = ("service", "state", "former", "reason", "code", "commit")


def call(command: Sequence[str], transition: Mapping[str, Any], timeout_seconds: float = TIMEOUT_SECONDS) -> str | None:
    """Run the command, with the transition in an environment of its own; what went wrong, None if nothing did.

    `transition` has service, state, former, reason, code and commit; what is not known is an empty variable. The
    command and all that it started are ended after the timeout.
    """
    try:
        done = run(
            command,
            folder=Path("/"),
            environment=environment(transition),
            timeout_seconds=timeout_seconds,
            most_bytes=MOST_BYTES,
        )
    except TooSlowError:
        return f"{command[0]} did not end within {timeout_seconds:g} s, and was ended"
    except TooMuchError:
        return f"{command[0]} printed more than {MOST_BYTES} bytes, and was ended"
    except (OSError, ValueError) as error:
        return f"{command[0]} cannot be started: {getattr(error, 'strerror', None) or error}"
    if done.code == 0:
        return None
    how = f"ended with {done.code}" if done.code > 0 else f"was ended by signal {-done.code}"
    said = " ".join((done.errors or done.output).decode(errors="replace").split())[:500]
    return f"{command[0]} {how}" + (f": {said}" if said else "")


def environment(transition: Mapping[str, Any]) -> dict[str, str]:
    """What the command finds. Nothing of the agent's own: there may be a token in it."""
    values = {f"SGFLEET_{key.upper()}": _clean(transition.get(key)) for key in _KEYS}
    service = values["SGFLEET_SERVICE"]  # empty where it is about the host as a whole
    values["SGFLEET_UNIT"] = f"{service}.service" if service else ""
    return {"PATH": _PATH, "LC_ALL": "C.UTF-8", **values}


def _clean(value: Any) -> str:
    """One line of text that any environment takes."""
    text = "" if value is None else str(value)
    return "".join(each if each.isprintable() else " " for each in text)[:_MOST_REASON]
