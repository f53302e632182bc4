"""The largest ratio that fits: by policy, by the engine's check in any order, by limits; the automatic one."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.memory.eras import HOST_AUTO_SIZE, HOST_AUTO_SLACK, HOST_ENGINE_RESERVE_BYTES
from sgfleet.memory.host_check import engine_check
from sgfleet.memory.host_pools import default_ratio, host_pools, total_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgfleet.memory.host_pools import HostPool, Mirrored
    from sgfleet.memory.settings import Hicache

STEPS: Final = 100
LARGEST: Final = 1000 * STEPS


class Room(NamedTuple):
    """What there is for the host pools of a service, beside the other services as they are.

    `policy_bytes` is what policy leaves for all its ranks; `sure_bytes` what their pools may take with all errors
    added; `engine_bytes` what the engine sees before it starts. `group_bytes` is what the service's control group
    leaves for all ranks, `rank_bytes` what a rank may take of its NUMA node; None where nothing bounds them.
    """

    policy_bytes: int
    sure_bytes: int
    engine_bytes: int
    group_bytes: int | None = None
    rank_bytes: int | None = None

    def by_policy(self, pinned: int, error: int) -> bool:
        """Whether pools of all ranks leave the reserve, and fit even where their size was underrated."""
        return pinned <= self.policy_bytes and pinned + error <= self.sure_bytes

    def by_limits(self, rank: int, ranks: int) -> bool:
        """Whether pools of a rank fit into the control group and the NUMA node."""
        if self.group_bytes is not None and rank * ranks > self.group_bytes:
            return False
        return self.rank_bytes is None or rank <= self.rank_bytes


class Ratios(NamedTuple):
    """Largest ratios in steps of 0.01, rounded down; None where not even the smallest fits.

    `policy`: all ranks together leave the reserve, and fit where the KV pool is as much larger as its error says.
    `engine`: every rank passes the engine's check in any order. `limits`: the control group and the NUMA nodes hold
    them.
    """

    policy: float | None
    engine: float | None
    limits: float | None = LARGEST / STEPS

    @property
    def safe(self) -> float | None:
        """What satisfies all."""
        if self.policy is None or self.engine is None or self.limits is None:
            return None
        return min(self.policy, self.engine, self.limits)

    @property
    def is_limited(self) -> bool:
        """Whether the control group or a NUMA node bounds the ratio."""
        return self.limits != LARGEST / STEPS


def largest_ratios(mirrored: Mirrored, hicache: Hicache, *, ranks: int, room: Room, error: float = 0.0) -> Ratios:
    """The largest ratios for pools on `ranks` ranks of a host; `error` is the part by which the KV pool may be off."""
    release = mirrored.settings.release

    def made(ratio: float) -> tuple[HostPool, ...]:
        return host_pools(mirrored, hicache, ratio)

    def by_policy(ratio: float) -> bool:
        pinned = ranks * total_bytes(made(ratio))
        return room.by_policy(pinned, int(pinned * error))

    def by_engine(ratio: float) -> bool:
        check = engine_check(release, made(ratio), ranks, room.engine_bytes, ratio)
        return check.starts_surely or check.verdict == "too-small"

    def by_limits(ratio: float) -> bool:
        return room.by_limits(total_bytes(made(ratio)), ranks)

    return Ratios(_largest(by_policy), _largest(by_engine), _largest(by_limits))


def _largest(fits: Callable[[float], bool]) -> float | None:
    """The largest ratio for which a condition holds that fails from some ratio on."""
    if not fits(1 / STEPS):
        return None
    if fits(LARGEST / STEPS):
        return LARGEST / STEPS
    return (bisect_left(range(LARGEST), True, 1, key=lambda step: not fits(step / STEPS)) - 1) / STEPS


def automatic_ratio(mirrored: Mirrored, hicache: Hicache, *, ranks: int, engine_available_bytes: int) -> float | None:
    """The ratio that the release picks by itself; None where it does not (a ratio or a size is given, or too old)."""
    if not HOST_AUTO_SIZE.at(mirrored.settings.release) or hicache.ratio is not None or hicache.size_gb > 0:
        return None
    device = mirrored.pools.total_bytes
    if not device:
        return None
    budget = int((engine_available_bytes - HOST_ENGINE_RESERVE_BYTES) // ranks * hicache.fraction)
    return max(0.0, min(default_ratio(mirrored.settings), budget * (1 - HOST_AUTO_SLACK) / device))
