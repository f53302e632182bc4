"""The difference of two unit texts as a person reads it, without secrets and without hashes."""

from __future__ import annotations

from difflib import unified_diff
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from sgfleet.render.identity import PREFIX
from sgfleet.spec.secrecy import HIDDEN, announces_secret, secret_spans

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTEXT: Final = 2
_ENVIRONMENT: Final = "Environment="
_HASHES: Final = (f"{PREFIX}Spec=", f"{PREFIX}Unit=")


def unit_diff(before: str | None, after: str | None) -> tuple[str, ...]:
    """Lines that begin with `-`, `+`, a blank or `@@`; none where both are the same."""
    old, new = _lines(before), _lines(after)
    secrets = {*_after_names(old), *_after_names(new)}
    lines = list(unified_diff(old, new, n=CONTEXT, lineterm=""))[2:]
    return tuple(
        line if line.startswith("@@") else _masked(line, secret=line[1:] in secrets).rstrip() for line in lines
    )


def _lines(text: str | None) -> list[str]:
    return [line for line in (text or "").splitlines() if not line.startswith(_HASHES)]


def _after_names(lines: list[str]) -> Iterator[str]:
    """Lines that begin with a secret: the name of its flag ends the line above."""
    yield from (after for line, after in pairwise(lines) if line.endswith("\\") and announces_secret(line))


def _masked(marked: str, *, secret: bool) -> str:
    """Values of variables may be secrets that somebody put there by hand: none is shown."""
    mark, line = marked[0], marked[1:]
    if secret:
        return f"{mark}    {HIDDEN}"
    if line.startswith(_ENVIRONMENT):
        name = line.removeprefix(_ENVIRONMENT).strip("\"'").partition("=")[0]
        return f"{mark}{_ENVIRONMENT}{name}={HIDDEN}"
    first = min((start for start, _ in secret_spans(line)), default=None)
    return marked if first is None else f"{mark}{line[:first]}{HIDDEN}"
