"""The largest ratio that fits: what policy allows, what passes the engine's check in any order; the automatic one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.memory.eras import HOST_AUTO_SIZE, HOST_AUTO_SLACK, HOST_ENGINE_RESERVE_BYTES
from sgfleet.memory.host_check import engine_check
from sgfleet.memory.host_pools import default_ratio, host_pools, total_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgfleet.memory.host_pools import Mirrored
    from sgfleet.memory.settings import Hicache

STEPS: Final = 100
LARGEST: Final = 1000 * STEPS


class Ratios(NamedTuple):
    """Largest ratios in steps of 0.01, rounded down; None where not even the smallest fits.

    `policy`: all ranks together leave the reserve. `engine`: every rank passes the engine's check in any order.
    """

    policy: float | None
    engine: float | None

    @property
    def safe(self) -> float | None:
        """What satisfies both."""
        return None if self.policy is None or self.engine is None else min(self.policy, self.engine)


def largest_ratios(
    mirrored: Mirrored, hicache: Hicache, *, ranks: int, room_bytes: int, engine_available_bytes: int
) -> Ratios:
    """The largest ratios for pools on `ranks` ranks of a host.

    `room_bytes` is what policy leaves for them; `engine_available_bytes` is what the engine sees before it starts.
    """
    release = mirrored.settings.release

    def by_policy(ratio: float) -> bool:
        return ranks * total_bytes(host_pools(mirrored, hicache, ratio)) <= room_bytes

    def by_engine(ratio: float) -> bool:
        made = host_pools(mirrored, hicache, ratio)
        check = engine_check(release, made, ranks, engine_available_bytes, ratio)
        return check.starts_surely or check.verdict == "too-small"

    return Ratios(_largest(by_policy), _largest(by_engine))


def _largest(fits: Callable[[float], bool]) -> float | None:
    """The largest ratio for which a condition holds that fails from some ratio on."""
    if not fits(1 / STEPS):
        return None
    low, high = 1, LARGEST
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle / STEPS):
            low = middle
        else:
            high = middle - 1
    return low / STEPS


def automatic_ratio(mirrored: Mirrored, hicache: Hicache, *, ranks: int, engine_available_bytes: int) -> float | None:
    """The ratio that the release picks by itself; None where it does not (a ratio or a size is given, or too old)."""
    if not HOST_AUTO_SIZE.at(mirrored.settings.release) or hicache.ratio is not None or hicache.size_gb > 0:
        return None
    device = mirrored.pools.total_bytes
    if not device:
        return None
    budget = int((engine_available_bytes - HOST_ENGINE_RESERVE_BYTES) // ranks * hicache.fraction)
    return max(0.0, min(default_ratio(mirrored.settings), budget * (1 - HOST_AUTO_SLACK) / device))
