"""What makes a text unfit that has the right form otherwise: a character that nobody sees, or its length."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from pydantic import StringConstraints

if TYPE_CHECKING:
    from collections.abc import Iterable

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_LENGTH: Final = re.compile(r" of (?:[0-9]+ to |at most )([0-9]+)\b.*")
"""Where the words for a type say how long it may be, which its pattern says as well."""
_BOUND: Final = re.compile(r"\{0,[0-9]+\}")


def text_fault(text: str, metadata: Iterable[Any], what: str) -> tuple[str, str] | None:
    """What a text has wrong, after its name, and what to do; None where its form as a whole is not `what` it should be.

    `metadata` is that of its type, and `what` stands for the type in words, as "an absolute path".
    """
    for each in metadata:
        if not isinstance(each, StringConstraints):
            continue
        pattern = each.pattern if isinstance(each.pattern, str) else None
        bare = _CONTROL.sub("", text)
        if pattern is not None and _fits(pattern, bare) and (control := _CONTROL.search(text)) is not None:
            place = "at its end" if control.end() == len(text) else f"after {control.start():,} characters"
            return f"holds U+{ord(control[0]):04X} {place}, which {what} cannot have", "take that character out"
        said = _LENGTH.search(what)
        most = each.max_length or (int(said[1]) if said and pattern else None)
        if most is None or len(text) <= most:
            continue
        if pattern is None or _fits(_BOUND.sub("*", pattern), bare):
            name = _LENGTH.sub("", what)
            long = f"and {name} has" if name != "text" else "and may have"
            return (
                f"is {len(text):,} characters long, {long} at most {most:,}",
                f"take {len(text) - most:,} characters out",
            )
    return None


def _fits(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern.removeprefix("^").removesuffix("$"), text) is not None
