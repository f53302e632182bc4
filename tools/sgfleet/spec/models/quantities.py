"""Durations and sizes as types of a model's fields."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from sgfleet.spec.models.base import Expect
from sgfleet.spec.quantities import (
    DURATION,
    LONGEST_TEXT,
    SIZE,
    duration_seconds,
    format_duration,
    format_size,
    size_bytes,
    size_or_infinity,
    some_seconds,
    some_size_or_infinity,
)


def _text_schema(pattern: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "maxLength": LONGEST_TEXT, "pattern": f"^({pattern})$"})


Duration = Annotated[
    int,
    BeforeValidator(duration_seconds),
    PlainSerializer(format_duration, return_type=str),
    _text_schema(DURATION.pattern),
    Expect("a duration", ("30s", "15m", "1h30m")),
]
"""Seconds inside; `30s`, `15m`, `1h30m` in YAML."""

SomeTime = Annotated[
    int,
    BeforeValidator(some_seconds),
    PlainSerializer(format_duration, return_type=str),
    _text_schema(f"(?=.*[1-9])({DURATION.pattern})"),
    Expect("a duration above 0s", ("30s", "15m", "1h30m")),
]
"""A duration that is not 0."""

Size = Annotated[
    int,
    BeforeValidator(size_bytes),
    PlainSerializer(format_size, return_type=str),
    _text_schema(SIZE.pattern),
    Expect("a size", ("48GiB", "40GB")),
]
"""Bytes inside; `48GiB` or `40GB` in YAML."""

SizeOrInfinity = Annotated[
    int | Literal["infinity"],
    BeforeValidator(size_or_infinity),
    PlainSerializer(format_size, return_type=str),
    _text_schema(f"infinity|{SIZE.pattern}"),
    Expect("a size or infinity", ("infinity", "64GiB")),
]
"""Bytes inside, or no bound at all."""

SomeSizeOrInfinity = Annotated[
    int | Literal["infinity"],
    BeforeValidator(some_size_or_infinity),
    PlainSerializer(format_size, return_type=str),
    _text_schema(f"infinity|(?=.*[1-9]){SIZE.pattern}"),
    Expect("a size above 0 or infinity", ("infinity", "64GiB")),
]
"""Bytes, at least one, or no bound at all."""
