"""What was found beside what the facts say already, and beside what was predicted. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_UNITS: Final = {"gib": "GiB", "gb": "GB", "tokens": "tokens", "seconds": "s"}


@dataclass(frozen=True, slots=True)
class Row:
    """One figure, by its name in facts.yaml; None where a column has none."""

    name: str
    found: int | float | None
    known: int | float | None
    predicted: int | float | None

    @property
    def label(self) -> str:
        """The name with its unit apart: `kv pool`, `GiB`."""
        words = self.name.split("-")
        unit = next((_UNITS[word] for word in words if word in _UNITS), "")
        name = " ".join(word for word in words if word not in _UNITS)
        return f"{name} ({unit})" if unit else name


def rows(
    found: Mapping[str, int | float],
    known: Mapping[str, Any],
    predicted: Mapping[str, int | float] = MappingProxyType({}),
) -> list[Row]:
    """A row for each figure that any of the three has, in the order of the facts' model.

    `found` and `predicted` have the names of facts.yaml (`kv-tokens`, `weights-gib`); so has `known`, an entry of
    `observed`. Whoever computes a prediction gives it here, and nothing else changes.
    """
    from sgfleet.spec.models.facts import Observation

    names = [field.alias or name for name, field in Observation.model_fields.items()]
    names = [name.replace("_", "-") for name in names]
    return [
        Row(name, found.get(name), _number(known.get(name)), predicted.get(name))
        for name in names
        if name in found or _number(known.get(name)) is not None or name in predicted
    ]


def _number(value: Any) -> int | float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
