"""A change of flags that may buy KV capacity, before anybody has looked whether it works."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


class Risk(IntEnum):
    """How likely it is that the service is worse off than before, for another reason than arithmetic."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3

    @property
    def word(self) -> str:
        """For people and programs."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Move:
    """What would be changed, and what is known of it beforehand.

    A flag that is None in `flags` is not given any more. `costs` are what it takes beside memory, `risks` what may go
    wrong; `accuracy` says why answers may change, None where they do not.
    """

    kind: str
    title: str
    flags: Mapping[str, Any]
    risk: Risk = Risk.LOW
    costs: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    accuracy: str | None = None

    def with_(self, other: Move) -> Move:
        """Both changes; the flags of `other` hold where both set one."""
        return Move(
            "combination",
            f"{self.title} + {other.title}",
            {**self.flags, **other.flags},
            max(self.risk, other.risk),
            (*self.costs, *other.costs),
            (*self.risks, *other.risks),
            self.accuracy or other.accuracy,
        )


@dataclass(frozen=True, slots=True)
class Ruled:
    """A way that is not open from here, and why. `unknown`: it cannot be judged, for want of a fact."""

    title: str
    reason: str
    unknown: bool = False
