"""The host budget: what all services of a host pin together, held against its RAM, its policy and systemd's bounds."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from sgfleet.memory.eras import HOST_AUTO_SIZE, HOST_NUMA
from sgfleet.memory.host_check import EngineCheck, bounded, engine_check
from sgfleet.memory.host_pools import HostPool, total_bytes
from sgfleet.memory.ratio import Ratios, Room, largest_ratios
from sgfleet.memory.sizes import Sizes, fitting_sizes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sgfleet.memory.service import Service


class HostFacts(NamedTuple):
    """RAM of a host. `available_bytes` is what is free with no service of this repository running.

    `assumed` says that only the total is known and stands in for it. `reserve_bytes` is what policy keeps free of
    pinned pools. `numa` are the NUMA nodes of the GPUs, one each, and `numa_bytes` the RAM of each node, where known.
    """

    total_bytes: int | None = None
    available_bytes: int | None = None
    assumed: bool = False
    reserve_bytes: int = 0
    numa: tuple[int, ...] = ()
    numa_bytes: Mapping[int, int] = MappingProxyType({})


class ServiceShare(NamedTuple):
    """What one service takes of the host's RAM. `rank_pools` are those of one rank (of the stage that takes most).

    `error_bytes` is how far `pinned_bytes` may be off, because the KV pool on the GPU may be. `ratio` is the one that
    holds (None for a fixed size); `chosen` says that the release picked it. `largest` are the largest ratios beside
    the other services as they are, `sizes` what sizes fit where one is given. `memory_max` and `memlock` say in words
    which bound of systemd is broken. `unknown` says why nothing could be computed.
    """

    name: str
    ranks: int
    rank_pools: tuple[HostPool, ...]
    pinned_bytes: int
    engine_bytes: int
    ratio: float | None = None
    chosen: bool = False
    check: EngineCheck | None = None
    largest: Ratios | None = None
    sizes: Sizes | None = None
    error_bytes: int = 0
    memory_max: str | None = None
    memlock: str | None = None
    numa: str | None = None
    refused: str | None = None

    @property
    def rank_bytes(self) -> int:
        """Pinned by one rank."""
        return total_bytes(self.rank_pools)


class HostBudget(NamedTuple):
    """All services of a host. `left_bytes` is None where the host's RAM is not known."""

    facts: HostFacts
    shares: tuple[ServiceShare, ...]
    notes: tuple[str, ...] = ()

    @property
    def pinned_bytes(self) -> int:
        """All host pools together."""
        return sum(share.pinned_bytes for share in self.shares)

    @property
    def left_bytes(self) -> int | None:
        """What is left of the available RAM once all pools are pinned."""
        return None if self.facts.available_bytes is None else self.facts.available_bytes - self.pinned_bytes

    @property
    def error_bytes(self) -> int:
        """How far the sum of all pools may be off."""
        return sum(share.error_bytes for share in self.shares)

    @property
    def fits(self) -> bool | None:
        """Whether policy's reserve stays free and the error fits as well; None where that cannot be said."""
        left = self.left_bytes
        return None if left is None else left >= max(self.facts.reserve_bytes, self.error_bytes)


def host_budget(services: Sequence[Service], facts: HostFacts) -> HostBudget:
    """The budget of a host with these services, all running.

    Raises: NotKnownError: a service's GPU budget cannot be computed.
    """
    pinned = {service.name: _pinned(service, facts.available_bytes) for service in services}
    shares = []
    for service in services:
        beside = [other for other in services if other.name != service.name]
        others = sum(pinned[other.name] for other in beside)
        error = sum(int(pinned[other.name] * _error(other)) for other in beside)
        shares.append(_share(service, facts, others, error))
    return HostBudget(facts, tuple(shares), _notes(facts))


def _notes(facts: HostFacts) -> tuple[str, ...]:
    if facts.available_bytes is None:
        return ("not checked: how much RAM the host has is not known",)
    if facts.assumed:
        return ("how much RAM is available with the services stopped is not known: all of it is taken for available",)
    return ()


def _pinned(service: Service, available: int | None) -> int:
    return 0 if service.no_host_pool is not None else service.pinned_bytes(available)


def _error(service: Service) -> float:
    """The part by which host pools may be off: those of a fixed size are what they are."""
    hicache, budget = service.settings.hicache, service.budget
    if hicache is None or hicache.size_gb > 0 or budget.tokens <= 0 or service.no_host_pool is not None:
        return 0.0
    return budget.error_tokens / budget.tokens


def _share(service: Service, facts: HostFacts, others: int, others_error: int) -> ServiceShare:
    hicache, ranks = service.settings.hicache, service.ranks
    engine = service.engine_bytes.bytes
    if hicache is None or service.no_host_pool is not None:
        return ServiceShare(service.name, ranks, (), 0, engine, refused=service.no_host_pool)
    seen = None
    if facts.available_bytes is not None:
        group = service.limits.group_bytes
        inside = None if group is None else max(0, group - engine)
        seen = bounded(service.settings.release, facts.available_bytes - others, inside)
    stages = service.host_pools(seen)
    heaviest = max(range(len(stages)), key=lambda index: total_bytes(stages[index]))
    pools = stages[heaviest]
    ratio = service.ratio(seen)
    pinned = service.pinned_bytes(seen)
    check = largest = sizes = None
    chosen = hicache.ratio is None and ratio is not None
    if seen is not None and facts.available_bytes is not None:
        if not _is_automatic(service, chosen=chosen):
            check = engine_check(service.settings.release, pools, ranks, seen, ratio)
        room = Room(
            policy_bytes=facts.available_bytes - others - facts.reserve_bytes,
            sure_bytes=facts.available_bytes - others - others_error,
            engine_bytes=seen,
            group_bytes=None if group is None else group - engine,
            rank_bytes=min((size // ranks_there for _, ranks_there, size in _nodes(service, facts)), default=None),
        )
        stage = service.stages[heaviest]
        largest = largest_ratios(stage, hicache, ranks=ranks, room=room, error=_error(service))
        if hicache.size_gb > 0:
            sizes = fitting_sizes(stage, hicache, ranks=ranks, room=room)
    return ServiceShare(
        name=service.name,
        ranks=ranks,
        rank_pools=pools,
        pinned_bytes=pinned,
        engine_bytes=engine,
        ratio=ratio,
        chosen=chosen,
        check=check,
        largest=largest,
        sizes=sizes,
        error_bytes=int(pinned * _error(service)),
        memory_max=_memory_max(service, pinned, engine),
        memlock=_memlock(service, total_bytes(pools)),
        numa=_numa(service, facts, total_bytes(pools)),
    )


def _is_automatic(service: Service, *, chosen: bool) -> bool:
    """A ratio that the release picks is booked against one snapshot: no rank is refused for what others pinned."""
    return chosen and HOST_AUTO_SIZE.at(service.settings.release)


def _memory_max(service: Service, pinned: int, engine: int) -> str | None:
    bound = service.limits.memory_max_bytes
    if bound is None or pinned + engine <= bound:
        return None
    return f"pools and processes take {_gib(pinned)} + {_gib(engine)}, and MemoryMax= is {_gib(bound)}"


def _memlock(service: Service, rank: int) -> str | None:
    bound = service.limits.memlock_bytes
    if bound is None or rank <= bound:
        return None
    return f"a rank pins {_gib(rank)}, and LimitMEMLOCK= is {_gib(bound)}"


def _numa(service: Service, facts: HostFacts, rank: int) -> str | None:
    """Where ranks bind themselves to a node, the node must hold their pools."""
    for node, here, room in _nodes(service, facts):
        if here * rank > room:
            return f"{here} ranks on NUMA node {node} pin {_gib(here * rank)}, and it has about {_gib(room)}"
    return None


def _nodes(service: Service, facts: HostFacts) -> Iterator[tuple[int, int, int]]:
    """The nodes that ranks bind themselves to: (node, ranks there, RAM of it). Without sizes, nodes are alike."""
    hicache = service.settings.hicache
    nodes = set(facts.numa)
    if hicache is None or len(nodes) < 2 or facts.available_bytes is None:
        return
    if not (HOST_NUMA.at(service.settings.release) and hicache.numa_bind):
        return
    even = facts.available_bytes // len(nodes)
    for node in sorted(nodes):
        here = min(service.ranks, facts.numa.count(node))
        yield node, here, min(even, facts.numa_bytes[node]) if node in facts.numa_bytes else even


def _gib(size: int) -> str:
    return f"{size / 2**30:,.1f} GiB"
