"""The type of a text that becomes a comment of a unit."""

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import AfterValidator, StringConstraints

from sgfleet.spec.comment_text import LONGEST, UNFIT, fit
from sgfleet.spec.models.base import Expect

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic_core import CoreSchema


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
    StringConstraints(max_length=LONGEST),
    AfterValidator(fit),
    _Pattern(UNFIT),
    Expect(f"text of at most {LONGEST} characters without control characters"),
]
