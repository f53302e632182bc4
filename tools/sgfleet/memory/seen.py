"""The host tier of a service for a device pool of another size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.memory.host_check import bounded
from sgfleet.memory.pools import pools_of_tokens
from sgfleet.memory.ratio import Ratios, Room, largest_ratios
from sgfleet.memory.units import pages_down

if TYPE_CHECKING:
    from sgfleet.memory.host import HostBudget
    from sgfleet.memory.service import Service


def ratios_with_tokens(service: Service, tokens: int, host: HostBudget) -> Ratios | None:
    """The largest ratios if the rank's pool had so many tokens; None where the host's RAM is not known."""
    hicache, available = service.settings.hicache, host.facts.available_bytes
    if hicache is None or available is None or service.no_host_pool is not None:
        return None
    others = sum(share.pinned_bytes for share in host.shares if share.name != service.name)
    group = service.limits.group_bytes
    room = None if group is None else max(0, group - service.engine_bytes.bytes)
    seen = bounded(service.settings.release, available - others, room)
    there = Room(available - others - host.facts.reserve_bytes, available - others, seen)
    found = []
    for stage in service.stages:
        pools = pools_of_tokens(
            pages_down(tokens, stage.page_size), (), stage.cell, service.settings, service.budget.resolved
        )
        mirrored = stage._replace(pools=pools._replace(state=stage.pools.state))
        found.append(largest_ratios(mirrored, hicache, ranks=service.ranks, room=there))
    return min(found, key=lambda ratios: ratios.engine or 0.0)
