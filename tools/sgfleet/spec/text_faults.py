"""What makes a text unfit that has the right form otherwise: a character that nobody sees, or its length."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from pydantic import StringConstraints

if TYPE_CHECKING:
    from collections.abc import Iterable

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def text_fault(text: str, metadata: Iterable[Any], what: str) -> tuple[str, str] | None:
    """What a text has wrong, after its name, and what to do; None where its form as a whole is not `what` it should be.

    `metadata` is that of its type, and `what` stands for the type in words, as "an absolute path".
    """
    for each in metadata:
        if not isinstance(each, StringConstraints) or not isinstance(each.pattern, str):
            continue
        bare = _CONTROL.sub("", text)
        if re.fullmatch(each.pattern.removeprefix("^").removesuffix("$"), bare) is None:
            continue
        if (control := _CONTROL.search(text)) is not None:
            place = "at its end" if control.end() == len(text) else f"after {control.start():,} characters"
            return f"holds U+{ord(control[0]):04X} {place}, which {what} cannot have", "take that character out"
        if each.max_length is not None and len(text) > each.max_length:
            return (
                f"is {len(text):,} characters long, and {what} has at most {each.max_length:,}",
                f"take {len(text) - each.max_length:,} characters out",
            )
    return None
