"""Text of the specification that becomes a comment of a unit, where nothing can be escaped."""

import re
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

from pydantic import AfterValidator, StringConstraints

from sgfleet.spec.base import Expect

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic_core import CoreSchema

_LONGEST: Final = 2000
_UNFIT: Final = r"\x00-\x08\x0e-\x1b\x1f\x7f\x80-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff"
"""What the renderer refuses in a comment (`render/characters.py`), in a form that JavaScript's patterns have too.

Tabs and line breaks of any kind are no part of it: the renderer replaces them.
"""
_UNFIT_FARTHER: Final = "".join(chr(plane << 16 | low) for plane in range(1, 17) for low in (0xFFFE, 0xFFFF))
"""The same of the other planes, which Python and JavaScript write otherwise."""


def _fit(text: str) -> str:
    if not (text.isascii() and text.isprintable()) and (found := re.search(f"[{_UNFIT}{_UNFIT_FARTHER}]", text)):
        code = f"U+{ord(found[0]):04X}"
        raise ValueError(f"leave {code} out: the text becomes a comment of the unit, which has no escapes")
    return text


class _Pattern(NamedTuple):
    """Says the same to editors, as far as one pattern can."""

    characters: str

    def __get_pydantic_json_schema__(
        self, core_schema: "CoreSchema", handler: "GetJsonSchemaHandler"
    ) -> dict[str, Any]:
        """Add the pattern; called by pydantic when a schema is exported."""
        return {**handler(core_schema), "pattern": f"^[^{self.characters}]*$"}


CommentText = Annotated[
    str,
    StringConstraints(max_length=_LONGEST),
    AfterValidator(_fit),
    _Pattern(_UNFIT),
    Expect(f"text of at most {_LONGEST} characters without control characters"),
]
