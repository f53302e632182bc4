"""What is said about the ways to more KV capacity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sgfleet.options.move import Move, Ruled
    from sgfleet.options.patch import Patch
    from sgfleet.options.reload import Reload
    from sgfleet.options.situation import Capacity


@dataclass(frozen=True, slots=True)
class Option:
    """A change that passes every check, with the capacity that it leads to."""

    move: Move
    capacity: Capacity
    patch: Patch
    risks: tuple[str, ...]
    reload: Reload | None = None


@dataclass(frozen=True, slots=True)
class ServiceOptions:
    """All that can be said of one service. `unknown` says why nothing could be, and then `help` what would help;
    `refused` that it is for an error which `check` has as it is.

    `start_seconds` is how long a start takes, as it was observed; `at_least` says that this is a lower bound.
    """

    host: str
    name: str
    headline: str = ""
    now: Capacity | None = None
    requests: int | None = None
    context_tokens: int | None = None
    reload: Reload | None = None
    options: tuple[Option, ...] = ()
    ruled: tuple[Ruled, ...] = ()
    notes: tuple[str, ...] = ()
    start_seconds: int | None = None
    at_least: bool = False
    unknown: str | None = None
    help: str | None = None
    refused: bool = False
