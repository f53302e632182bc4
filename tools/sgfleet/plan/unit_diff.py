"""The difference of two unit texts as a person reads it, without secrets and without hashes."""

from __future__ import annotations

from difflib import unified_diff
from typing import Final

from sgfleet.render.identity import PREFIX
from sgfleet.spec.secrecy import HIDDEN, secret_spans
from sgfleet.spec.secret_names import may_hold_secret

CONTEXT: Final = 2
_ENVIRONMENT: Final = "Environment="
_HASHES: Final = (f"{PREFIX}Spec=", f"{PREFIX}Unit=")


def unit_diff(before: str | None, after: str | None) -> tuple[str, ...]:
    """Lines that begin with `-`, `+`, a blank or `@@`; none where both are the same."""
    old, new = _lines(before), _lines(after)
    shown = {**_shown(old), **_shown(new)}
    lines = list(unified_diff(old, new, n=CONTEXT, lineterm=""))[2:]
    return tuple(line if line.startswith("@@") else f"{line[0]}{shown[line[1:]]}".rstrip() for line in lines)


def _lines(text: str | None) -> list[str]:
    return [line for line in (text or "").splitlines() if not line.startswith(_HASHES)]


def _shown(lines: list[str]) -> dict[str, str]:
    """Each line as it may be seen. Behind the name of a secret at a line's end, the next line is the secret."""
    shown: dict[str, str] = {}
    secret_follows = False
    for line in lines:
        shown[line] = f"    {HIDDEN}" if secret_follows else _masked(line)
        word = line.rstrip(" \t\\").rpartition(" ")[2]
        secret_follows = line.endswith("\\") and word.startswith("--") and "=" not in word and may_hold_secret(word)
    return shown


def _masked(line: str) -> str:
    """Values of variables may be secrets that somebody put there by hand: none is shown."""
    if line.startswith(_ENVIRONMENT):
        name = line.removeprefix(_ENVIRONMENT).strip("\"'").partition("=")[0]
        return f"{_ENVIRONMENT}{name}={HIDDEN}"
    first = min((start for start, _ in secret_spans(line)), default=None)
    return line if first is None else f"{line[:first]}{HIDDEN}"
