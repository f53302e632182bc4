"""One line of a file of start-up logs: what ran where, and the figures that SGLang printed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


LARGEST: Final = 2.0**53
"""Larger figures are no figures of a log (nor is NaN, which compares with nothing)."""


class LogsError(ValueError):
    """A line that is not what such a file holds. `line` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


@dataclass(frozen=True, slots=True)
class Entry:
    """A start. Device figures are GiB although they are called gb; host pools count 10**9 bytes a rank.

    Everything may be unknown but `id` and `model`.
    """

    id: str
    model: str
    version: str | None = None
    gpu: str | None = None
    gpu_count: int | None = None
    tp: int | None = None
    dp: int | None = None
    flags: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    logged: Mapping[str, Any] = field(default_factory=dict)
    note: str | None = None

    def number(self, *names: str) -> float | None:
        """The first of these logged figures that is a number."""
        for name in names:
            value = finite(self.logged.get(name))
            if value is not None:
                return value
        return None


def finite(value: object) -> float | None:
    """A number that can be computed with; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < LARGEST else None


def read_entries(text: str) -> Iterator[Entry]:
    """Every line of a JSONL file.

    Raises:
        LogsError: a line is not an object with the fields of an entry.
    """
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            yield _entry(number, line)


def _entry(number: int, line: str) -> Entry:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise LogsError(number, f"is not JSON: {error}") from error
    if not isinstance(values, dict) or not isinstance(values.get("model"), str):
        raise LogsError(number, "is not an object with a model")
    return Entry(
        id=str(values.get("id", number)),
        model=values["model"],
        version=_text(values.get("sglang_version")),
        gpu=_text(values.get("gpu")),
        gpu_count=_count(number, values, "gpu_count"),
        tp=_count(number, values, "tp"),
        dp=_count(number, values, "dp"),
        flags=tuple(str(word) for word in _of(number, values, "flags", list)),
        env={str(name): str(value) for name, value in _of(number, values, "env", dict).items()},
        facts=_of(number, values, "facts", dict),
        logged=_of(number, values, "logged", dict),
        note=_text(values.get("note")),
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _count(line: int, values: dict[str, Any], name: str) -> int | None:
    value = values.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 2**16:
        raise LogsError(line, f"{name} is not a number of GPUs or ranks")
    return value


def _of(line: int, values: dict[str, Any], name: str, kind: type) -> Any:
    value = values.get(name)
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise LogsError(line, f"{name} is not a {'list' if kind is list else 'mapping'}")
    return value
