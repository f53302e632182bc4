"""Check: the RAM that the service will pin is there once the running one has stopped.

Host pools are pinned: no swap helps, the kernel kills instead, and not always the newcomer. So MemAvailable of this
moment plus what the running instance gives back has to hold the new pools and what stays free: the larger of what the
fleet's policy and this host's own file keep. A service without host pools is held against the host's own reserve alone.

Pools that cannot be computed block where HiCache is on: their size may be anything. Who knows better waives MEM030.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.agent.reason import Reason
from sgfleet.memory.of_host import Unknown
from sgfleet.memory.units import gib

if TYPE_CHECKING:
    from sgfleet.agent.admission.pools import Pools
    from sgfleet.agent.admission.situation import Situation

_NOT_CHECKED: Final = "MEM030"


def check(situation: Situation) -> Reason | None:
    """The arithmetic, where it does not come out."""
    available, freed = situation.available_bytes, situation.freed_bytes
    there = f"{gib(available)} available" + (f" + {gib(freed)} that the running instance frees" if freed else "")
    pools = situation.pools
    if isinstance(pools, Unknown):
        if any(each.code == _NOT_CHECKED for each in situation.service.waive):
            return None
        text = f"how much RAM the host pools of {situation.name} take is not known: {pools.message}"
        return Reason("memory-unknown", text, pools.help or f"waive {_NOT_CHECKED} with the reason why it fits")
    if pools is None:
        reserve = situation.local.limits.reserve_bytes
        if available + freed >= reserve:
            return None
        text = f"{there} is less than the {gib(reserve)} that agent.toml keeps free"
        return Reason("memory", text, "free some, or lower reserve under [limits] in agent.toml")
    share = pools.share
    if share.check is not None and share.check.verdict == "refused":
        text = f"the engine would refuse its host pools with {there}: {share.check.arithmetic}"
        return Reason("memory", text, _help(pools))
    left = pools.room_bytes - share.pinned_bytes
    if left >= pools.reserve_bytes:
        return None
    error = f" ± {gib(pools.error_bytes)}" if pools.error_bytes else ""
    text = (
        f"its host pools do not fit: {there} - {gib(share.pinned_bytes)}{error} ({share.ranks} ranks × "
        f"{gib(share.rank_bytes)}) = {gib(left)}, and {gib(pools.reserve_bytes)} have to stay free"
    )
    return Reason("memory", text, _help(pools))


def _help(pools: Pools) -> str:
    share = pools.share
    if share.sizes is not None:
        size = share.sizes.safe
        return "no hicache-size fits now" if size is None else f"hicache-size {size} is the largest that fits now"
    ratio = share.largest.safe if share.largest is not None else None
    if ratio is None or ratio <= 1:
        return "no hicache-ratio that is of use fits now: free RAM, or take enable-hierarchical-cache out"
    return f"hicache-ratio {ratio:.2f} is the largest that fits now"
