"""The sizes (--hicache-size) that a release takes and that fit, and what a size comes to."""

from __future__ import annotations

from bisect import bisect_left
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.memory.eras import HOST_SPLIT
from sgfleet.memory.host_check import engine_check
from sgfleet.memory.host_pools import host_pools, total_bytes
from sgfleet.memory.units import GB

if TYPE_CHECKING:
    from sgfleet.memory.host_pools import HostPool, Mirrored
    from sgfleet.memory.ratio import Room
    from sgfleet.memory.settings import Hicache

LARGEST_GB: Final = 100_000
ROUNDING: Final = 0.02
"""What rounding to whole pages may add to a pool; more has another reason."""


class Sizes(NamedTuple):
    """The smallest size that the release takes and the largest that fits, GB; `largest` is None where none does."""

    least: int
    largest: int | None

    @property
    def safe(self) -> int | None:
        """The largest that fits and is taken."""
        return None if self.largest is None or self.largest < self.least else self.largest


def fitting_sizes(mirrored: Mirrored, hicache: Hicache, *, ranks: int, room: Room) -> Sizes:
    """The whole sizes for pools on `ranks` ranks of a host, each tried as it would be made."""
    release = mirrored.settings.release

    def made(size: int) -> tuple[HostPool, ...]:
        return host_pools(mirrored, hicache._replace(size_gb=size, ratio=None))

    def is_too_large(size: int) -> bool:
        pools = made(size)
        rank = total_bytes(pools)
        if not (room.by_policy(rank * ranks, 0) and room.by_limits(rank, ranks)):
            return True
        check = engine_check(release, pools, ranks, room.engine_bytes, None)
        return not check.starts_surely and check.verdict != "too-small"

    def is_taken(size: int) -> bool:
        return engine_check(release, made(size), ranks, room.engine_bytes, None).verdict != "too-small"

    sizes = range(LARGEST_GB)
    largest = bisect_left(sizes, True, 1, key=is_too_large) - 1
    return Sizes(bisect_left(sizes, True, 1, key=is_taken), largest or None)


def counted(release: str) -> frozenset[str]:
    """The pools that a size is for: all of a hybrid model's where they share it, else the first."""
    return frozenset({"kv", "sliding", "state"} if HOST_SPLIT.at(release) else {"kv"})


def counted_bytes(release: str, pools: tuple[HostPool, ...]) -> int:
    """What a rank pins for the pools that a size is for."""
    return sum(pool.resident_bytes for pool in pools if pool.name in counted(release))


def as_said(mirrored: Mirrored, hicache: Hicache, sizes: Sizes) -> int | None:
    """A size that fits and of which a rank pins no more than it says: the largest below the one that is given, else the
    smallest above it; None where there is none.
    """
    safe = sizes.safe
    if safe is None:
        return None
    asked, release = int(hicache.size_gb), mirrored.settings.release
    below = range(min(asked, safe), sizes.least - 1, -1)
    above = range(max(asked, sizes.least), safe + 1)
    for size in chain(below, above):
        pools = host_pools(mirrored, hicache._replace(size_gb=size, ratio=None))
        if counted_bytes(release, pools) <= size * GB * (1 + ROUNDING):
            return size
    return None
