"""How long a start of a service takes until it serves: as it was observed, or estimated from its weight bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from sgfleet.memory.of_host import Unknown
from sgfleet.memory.service import same_weights
from sgfleet.memory.units import GB

if TYPE_CHECKING:
    from sgfleet.memory.service import Service
    from sgfleet.spec.models.facts import Checkpoint, Facts

BASE_SECONDS: Final = 60
"""Imports, graphs, warm-up: what no weight bytes explain."""
RATE_BYTES: Final = GB
"""Weight bytes a second, of all ranks together. 547 GB in some eleven minutes is the one start of a large checkpoint on
local disks whose length is public (2026); a warm page cache is several times faster, a network file system slower."""
FACTOR: Final = 3
"""The estimate may be this many times too long or too short."""

Origin = Literal["observed", "at-least", "estimated"]
"""Observed: read from a start-up log. At least: a bound that somebody wrote down."""


class LoadTime(NamedTuple):
    """Seconds from the start of the process until it serves, between `least_seconds` and `most_seconds` (None: open).

    `detail` says where the figure comes from.
    """

    seconds: int
    origin: Origin
    least_seconds: int
    most_seconds: int | None
    detail: str


def load_time(name: str, service: Service | Unknown, facts: Facts | None) -> LoadTime | None:
    """The next start of a service; None where nothing is known of its weights and none was observed.

    A start that was observed counts where it loaded the same weights onto the same ranks.
    """
    seen = facts.observed.get(name) if facts is not None else None
    if seen is not None and _is_alike(service):
        said = f"SGLang {seen.release}, {f'facts of {facts.host}' if facts is not None else 'facts'}"
        if seen.load_seconds is not None:
            return LoadTime(seen.load_seconds, "observed", seen.load_seconds, seen.load_seconds, f"observed: {said}")
        if seen.load_seconds_at_least is not None:
            least = seen.load_seconds_at_least
            return LoadTime(least, "at-least", least, None, f"observed, a lower bound: {said}")
    if isinstance(service, Unknown):
        return None
    size = weight_bytes(service, facts)
    seconds = BASE_SECONDS + size // RATE_BYTES
    detail = f"estimated: {BASE_SECONDS} s and {size / GB:,.0f} GB of weights at {RATE_BYTES / GB:g} GB/s"
    detail += f", within a factor of {FACTOR}"
    return LoadTime(seconds, "estimated", seconds // FACTOR, seconds * FACTOR, detail)


def weight_bytes(service: Service, facts: Facts | None) -> int:
    """Bytes that all ranks of this host read together: the size of the checkpoint's files where the facts have it."""
    settings = service.settings
    hosts = max(1, settings.nodes)
    if (found := _checkpoint(settings.model_path, facts)) is not None and found.total_bytes:
        return found.total_bytes * max(1, settings.replicas) // hosts
    stages = service.load.weights.stages
    rank = sum(stage.sharded for stage in stages) * settings.tp + sum(stage.replicated for stage in stages)
    return rank * max(1, settings.replicas) // hosts


def _is_alike(service: Service | Unknown) -> bool:
    """Whether the observed start loaded what the next one does; where nothing is known of either, it is believed."""
    if isinstance(service, Unknown) or service.started is None:
        return True
    return same_weights(service.started, service.settings)


def _checkpoint(path: str, facts: Facts | None) -> Checkpoint | None:
    wanted = path.rstrip("/")
    return next((each for each in facts.checkpoints if each.path.rstrip("/") == wanted), None) if facts else None
