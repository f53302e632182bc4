"""What a budget leaves open that may decide whether a service starts: then nobody may say that it fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.memory.of_host import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.memory.of_host import HostMemory


def unjudged(memory: HostMemory, name: str) -> tuple[str, ...]:
    """In words, for one service: all of it where there is no budget, else each part that is not counted."""
    budget, service = memory.budget(name), memory.service(name)
    if isinstance(budget, Unknown):
        return (budget.message,)
    if isinstance(service, Unknown):
        return (service.message,)
    return (*(what for _, what in service.settings.unmodelled), *ram_unjudged(memory, name))


def ram_unjudged(memory: HostMemory, name: str) -> Iterator[str]:
    """What is open about the RAM that a service pins. Only for a service that has a budget and host pools."""
    service = memory.service(name)
    if isinstance(service, Unknown) or service.settings.hicache is None:
        return
    if service.no_host_pool is not None and service.no_host_pool.startswith("not computed"):
        yield f"the host pools: their size is {service.no_host_pool}"
    if memory.host.facts.available_bytes is None:
        yield "whether the host pools fit: how much RAM the host has is not known"
    elif memory.uncounted:
        yield f"what {' and '.join(memory.uncounted)} pins beside it"
