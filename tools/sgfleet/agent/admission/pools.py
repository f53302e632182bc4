"""What a service pins of the RAM that there is for it on this host now."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sgfleet.memory.of_host import HostMemory, Unknown

if TYPE_CHECKING:
    from sgfleet.agent.admission.situation import Situation
    from sgfleet.memory.host import ServiceShare


class Pools(NamedTuple):
    """`room_bytes` is there for it once the running one has stopped, `reserve_bytes` of it have to stay free.

    `error_bytes`: how far the pools of all ranks may be off.
    """

    share: ServiceShare
    room_bytes: int
    reserve_bytes: int
    error_bytes: int


def pools_of(situation: Situation) -> Pools | Unknown | None:
    """The host pools, computed for this service alone: what others have pinned is not available any more as it is.

    None without HiCache, and on a host without GPUs, where nothing is pinned.
    """
    service, facts = situation.service, situation.facts
    if situation.flags.get("enable_hierarchical_cache") is not True or not facts.gpus or not situation.may_use_gpus:
        return None
    policy = situation.workspace.repository.fleet.policy
    room = situation.available_bytes + situation.freed_bytes
    reserve = max(policy.reserve.host_ram, situation.local.limits.reserve_bytes)
    memory = HostMemory(
        {situation.name: service},
        situation.workspace.release,
        facts.model_copy(update={"memory": facts.memory.model_copy(update={"available_bytes": room})}),
        policy.model_copy(update={"reserve": policy.reserve.model_copy(update={"host_ram": reserve})}),
        situation.workspace.library,
    )
    budget, share = memory.budget(situation.name), memory.share(situation.name)
    if isinstance(budget, Unknown):
        return budget
    if share is None or (share.refused or "").startswith("not computed"):
        return Unknown("model", (share.refused if share is not None else None) or "its host pools are not known")
    if not share.rank_pools:
        return None
    return Pools(share, room, reserve, share.error_bytes)
