"""What the engine itself holds host pools against when it starts, and whether the order of the ranks decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from sgfleet.memory.eras import HOST_CHECK, HOST_ENGINE_RESERVE_BYTES, HOST_MINIMUM

if TYPE_CHECKING:
    from sgfleet.memory.host_pools import HostPool

Verdict = Literal["passes", "refused", "too-small", "order", "unsummed"]
"""The engine's own checks. "order": it starts or not depending on which rank is first. "unsummed": each rank passes on
its own although together they take more than there is.
"""


class EngineCheck(NamedTuple):
    """The outcome, with the arithmetic in words. `peers` is how many pinned peers a rank still passes beside."""

    verdict: Verdict
    limit_bytes: int
    arithmetic: str
    peers: int | None = None

    @property
    def starts_surely(self) -> bool:
        """Whatever the order."""
        return self.verdict == "passes"


def engine_check(
    release: str, pools: tuple[HostPool, ...], ranks: int, available_bytes: int, ratio: float | None
) -> EngineCheck:
    """Hold one rank's pools against what the release lets it have.

    `available_bytes` is what is free before the first rank pins anything, bounded by the service's control group where
    the release looks at it. `ratio` is None for a fixed size.
    """
    small = _too_small(release, pools, ratio)
    if small is not None:
        return EngineCheck("too-small", 0, small)
    if HOST_CHECK.at(release) == "each":
        return _each(pools, ranks, available_bytes)
    return _share(pools, ranks, available_bytes)


def bounded(release: str, available_bytes: int, group_bytes: int | None) -> int:
    """What the release takes for available: the machine's, or from 0.5.21 on the control group's bound if smaller."""
    if group_bytes is not None and HOST_CHECK.at(release) == "share-of-cgroup":
        return min(available_bytes, group_bytes)
    return available_bytes


def _too_small(release: str, pools: tuple[HostPool, ...], ratio: float | None) -> str | None:
    rule = HOST_MINIMUM.at(release)
    if rule == "ratio-1" and ratio is not None and ratio < 1:
        return f"ratio {ratio:g}, and {release} wants 1 or more"
    if rule != "larger":
        return None
    for pool in pools:
        if pool.name != "index" and pool.device_tokens and pool.tokens <= pool.device_tokens:
            what = f"{pool.tokens:,} host tokens, {pool.device_tokens:,} on the device"
            return f"{what}: {release} wants more on the host than on the device"
    return None


def _gb(size: float) -> str:
    return f"{size / 1e9:,.2f} GB"


def _each(pools: tuple[HostPool, ...], ranks: int, available: int) -> EngineCheck:
    limit = available - HOST_ENGINE_RESERVE_BYTES
    largest = max(pool.bytes for pool in pools)
    total = sum(pool.resident_bytes for pool in pools) * ranks
    said = f"{_gb(largest)} a pool against {_gb(available)} free less 10 GiB, for each rank alone"
    if largest > limit:
        return EngineCheck("refused", limit, said)
    if total > limit:
        return EngineCheck("unsummed", limit, f"{said}; {ranks} ranks take {_gb(total)}")
    return EngineCheck("passes", limit, said)


def _share(pools: tuple[HostPool, ...], ranks: int, available: int) -> EngineCheck:
    """Each pool must fit a rank's share of what is free when it is made: later ranks see less and divide it as well."""
    free = available - HOST_ENGINE_RESERVE_BYTES
    own = sum(pool.resident_bytes for pool in pools)
    largest = max(pool.bytes for pool in pools)
    share = free // ranks
    said = f"{_gb(largest)} a pool against ({_gb(available)} less 10 GiB) / {ranks} ranks = {_gb(share)}"
    if largest > share:
        return EngineCheck("refused", share, said)
    if last_share(pools, ranks, available) >= 0:
        return EngineCheck("passes", share, said)
    peers = max(0, min(ranks - 1, (free - ranks * largest - (own - largest)) // own))
    said += f", and less for each rank that has pinned its pool before: passes beside {peers}, not beside {peers + 1}"
    return EngineCheck("order", share, said, peers)


def last_share(pools: tuple[HostPool, ...], ranks: int, available: int) -> int:
    """How much of its share the last pool of the last rank leaves; negative where it does not fit."""
    own = sum(pool.resident_bytes for pool in pools)
    largest = max(pool.bytes for pool in pools)
    free = available - HOST_ENGINE_RESERVE_BYTES - (ranks * own - largest)
    return free // ranks - largest
