"""A change of flags that may buy KV capacity, before anybody has looked whether it works."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
    wrong; `accuracy` says why answers may change, None where they do not. `parts` are the moves that a combination
    is made of.
    """

    kind: str
    title: str
    flags: Mapping[str, Any]
    risk: Risk = Risk.LOW
    costs: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    accuracy: str | None = None
    parts: tuple[Move, ...] = ()

    def with_(self, other: Move) -> Move:
        """Both changes; the flags of `other` hold where both set one, and a part that it replaces is gone.

        A part of the same kind that sets one of the same flags is replaced too: what else it sets goes over.
        """
        added, kept = list(other.parts or (other,)), []
        for part in self.parts or (self,):
            if part.flags.keys() <= other.flags.keys():
                continue
            at = next((at for at, new in enumerate(added) if _replaces(new, part)), None)
            if at is None:
                kept.append(part)
            else:
                added[at] = replace(added[at], flags={**part.flags, **added[at].flags})
        parts = (*kept, *added)
        flags: dict[str, Any] = {}
        for part in parts:
            flags.update(part.flags)
        return Move(
            "combination",
            " + ".join(part.title for part in parts),
            flags,
            max(part.risk for part in parts),
            tuple(cost for part in parts for cost in part.costs),
            tuple(risk for part in parts for risk in part.risks),
            next((part.accuracy for part in parts if part.accuracy is not None), None),
            parts,
        )


def _replaces(new: Move, old: Move) -> bool:
    return new.kind == old.kind and not new.flags.keys().isdisjoint(old.flags)


@dataclass(frozen=True, slots=True)
class Ruled:
    """A way that is not open from here, and why. `unknown`: it cannot be judged, for want of a fact."""

    title: str
    reason: str
    unknown: bool = False
