"""What every model of the specification has in common."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema

T = TypeVar("T")

Several = Annotated[tuple[T, ...], Field(strict=False)]
"""A YAML sequence; a tuple inside, because specifications do not change."""


def _date(value: Any) -> datetime.date:
    if isinstance(value, str):
        return datetime.date.fromisoformat(value)
    raise ValueError('a date is written as text, such as "2026-12-31"')


def _moment(value: Any) -> datetime.datetime:
    if isinstance(value, str):
        moment = datetime.datetime.fromisoformat(value)
        if moment.tzinfo is not None:
            return moment
    raise ValueError('a moment is written as text with its zone, such as "2026-12-31T08:30:00Z"')


Date = Annotated[
    datetime.date,
    BeforeValidator(_date),
    PlainSerializer(datetime.date.isoformat, return_type=str),
    WithJsonSchema({"type": "string", "format": "date"}),
]
"""`2026-12-31`."""

Moment = Annotated[
    datetime.datetime,
    BeforeValidator(_moment),
    PlainSerializer(datetime.datetime.isoformat, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""`2026-12-31T08:30:00Z`."""


def kebab(name: str) -> str:
    """The name of a field as YAML writes it: `restart_sec` -> `restart-sec`."""
    return name.replace("_", "-")


class Model(BaseModel):
    """Frozen, closed and strict: an unknown key is an error, and no value is coerced in silence.

    Field docstrings become the descriptions in the JSON Schemas, which are what editors show.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=kebab,
        validate_by_alias=True,
        validate_by_name=False,
        serialize_by_alias=True,
        use_attribute_docstrings=True,
        defer_build=True,
        hide_input_in_errors=True,
    )
