"""What every model of the specification has in common."""

from __future__ import annotations

import datetime
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema

from sgfleet.spec.moments import MOMENT, date, moment
from sgfleet.spec.names import kebab

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic_core import CoreSchema

T = TypeVar("T")


def _without_plugins() -> None:
    """Keep pydantic from looking for plugins in the packages around it when it builds its first model.

    None is wanted here, and the search reads the metadata of every installed package: 15 ms of each start. Where a
    later pydantic searches in another way, this has no effect.
    """
    loader = ModuleType("pydantic.plugin._loader")
    loader.get_plugins = tuple  # type: ignore[attr-defined]  # a module made here has no declared attributes
    sys.modules.setdefault(loader.__name__, loader)


_without_plugins()


class Expect(NamedTuple):
    """What a value should be, in words that stand after "is not", with examples that are right.

    Metadata of an annotated type: `problems` makes sentences of it, `export` makes examples for editors.
    """

    what: str
    examples: tuple[Any, ...] = ()

    def __get_pydantic_json_schema__(self, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Add the examples; called by pydantic when a schema is exported."""
        schema = handler(core_schema)
        # Of a mapping an editor would write the whole example into the file of whoever wants its key alone.
        shown = [example for example in self.examples if not isinstance(example, dict)]
        return {**schema, "examples": shown} if shown else schema


Several = Annotated[tuple[T, ...], Field(strict=False)]
"""A YAML sequence; a tuple inside, because specifications do not change."""


Date = Annotated[
    datetime.date,
    BeforeValidator(date),
    PlainSerializer(datetime.date.isoformat, return_type=str),
    WithJsonSchema({"type": "string", "format": "date"}),
    Expect("a date", ("2026-12-31",)),
]
"""`2026-12-31`."""

Moment = Annotated[
    datetime.datetime,
    BeforeValidator(moment),
    PlainSerializer(datetime.datetime.isoformat, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time", "pattern": f"^{MOMENT.pattern}$"}),
    Expect("a moment with its zone", ("2026-12-31T08:30:00Z",)),
]
"""`2026-12-31T08:30:00Z`."""


class Model(BaseModel):
    """Frozen, closed and strict: an unknown key is an error, and no value is coerced in silence.

    The docstring under a field is its description in the JSON Schemas, which is what editors show. `export` reads them
    from the source when it needs them, because reading them whenever a model is imported costs more than the rest.
    For the same reason modules of models do without `from __future__ import annotations`: pydantic would have to
    evaluate the text of every one.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=kebab,
        validate_by_alias=True,
        validate_by_name=False,
        serialize_by_alias=True,
        allow_inf_nan=False,
        defer_build=True,
        hide_input_in_errors=True,
    )
