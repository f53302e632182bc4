"""The host tier: KV rows of prefixes in RAM, by a ratio to the GPU's pool or by a size."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from sgfleet.memory.eras import HOST_MINIMUM
from sgfleet.memory.host import host_budget
from sgfleet.memory.settings import Hicache
from sgfleet.memory.units import GB, gib
from sgfleet.options.move import Move, Ruled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.memory.ratio import Ratios
    from sgfleet.options.situation import Situation

SWITCH: Final = "enable-hierarchical-cache"
RATIO: Final = "hicache-ratio"
SIZE: Final = "hicache-size"
_WHOLE: Final = 4
"""So many whole ratios are offered beside the largest one."""
_NOTABLE: Final = 0.2
_USUAL: Final = 2.0
COSTS: Final = ("RAM that nothing else can use while the service runs", "prefixes only: the longest request stays")


def moves(now: Situation) -> Iterator[Move | Ruled]:
    """Larger ratios (or sizes) up to the largest that is safe; the first that does not fit is said, with the reason."""
    if SWITCH not in now.release.by_name or RATIO not in now.release.by_name:
        yield Ruled("a host tier", f"SGLang {now.release.version} has no {RATIO}")
        return
    with_tier = _with_tier(now)
    share = with_tier.share
    if share.refused is not None:
        yield Ruled("a host tier", share.refused, unknown=share.refused.startswith("not computed"))
        return
    if share.largest is None:
        reason = "how much RAM the host has is not known: sgfleet facts, on the host, reads it"
        yield Ruled("a larger host tier" if now.settings.hicache else "a host tier", reason, unknown=True)
        return
    here = _ratio_now(now)
    safe = safe_ratio(with_tier)
    if safe is not None and safe > max(here, 1.0) + 0.05:
        for ratio in _ratios(here, safe, _least(now)):
            yield _move(now, ratio)
    beyond = math.floor(max(here, safe or 0)) + 1
    yield Ruled(f"ratio {beyond}", _why_not(with_tier, float(beyond), share.largest))


def safe_ratio(now: Situation) -> float | None:
    """The largest ratio by policy and by the engine's check, in steps of 0.1; None where none fits."""
    largest = now.share.largest
    if largest is None or largest.safe is None:
        return None
    ratio = math.floor(largest.safe * 10 + 1e-9) / 10
    return ratio if ratio > 0 and ratio >= _least(now) else None


def largest(now: Situation) -> Move | None:
    """The largest safe host tier, where it is notably larger than what there is."""
    if SWITCH not in now.release.by_name or RATIO not in now.release.by_name:
        return None
    safe = safe_ratio(_with_tier(now))
    return _move(now, safe) if safe is not None and safe > _ratio_now(now) + _NOTABLE and safe > 1 else None


def fitted(now: Situation) -> Move | None:
    """The ratio or size that fits where the one that holds does not; None where none does."""
    hicache, share = now.settings.hicache, now.share
    safe = safe_ratio(now)
    if hicache is not None and safe is not None and share.check is not None and share.check.verdict == "too-small":
        return _move(now, min(safe, _USUAL)) if safe > 1 else None
    if hicache is None or safe is None or safe >= _ratio_now(now):
        return None
    return _move(now, safe)


def _least(now: Situation) -> float:
    return 0.1 if HOST_MINIMUM.at(now.release.version) == "any" else 1.0


def _ratios(here: float, safe: float, least: float) -> list[float]:
    whole = [float(each) for each in range(math.floor(here) + 1, math.floor(safe) + 1) if each > max(least, 1.0)]
    chosen = whole if len(whole) <= _WHOLE else [*whole[: _WHOLE - 1], whole[-1]]
    return chosen if safe in chosen else [*chosen, safe]


def _ratio_now(now: Situation) -> float:
    """The ratio that holds, or what a fixed size comes to."""
    share = now.share
    if share.ratio is not None:
        return share.ratio
    device = now.budget.pools.total_bytes
    return share.rank_bytes / device if device else 0.0


def _with_tier(now: Situation) -> Situation:
    """As it is, or with a host tier where there is none yet. The other services' shares stay."""
    if now.settings.hicache is not None and now.settings.hicache.size_gb <= 0:
        return now
    tier = (now.settings.hicache or Hicache())._replace(ratio=_ratio_now(now) or 1.0, size_gb=0)
    service = replace(now.service, settings=now.settings._replace(hicache=tier))
    others = sum(share.pinned_bytes for share in now.host.shares if share.name != service.name)
    facts = now.host.facts
    if facts.available_bytes is not None:
        facts = facts._replace(available_bytes=facts.available_bytes - others)
    return replace(now, service=service, host=host_budget([service], facts))


def _move(now: Situation, ratio: float) -> Move:
    flags: dict[str, Any] = {}
    if now.settings.hicache is None:
        flags[SWITCH] = True
    if now.settings.hicache is not None and now.settings.hicache.size_gb > 0:
        size = int(ratio * now.budget.pools.total_bytes // GB)
        return Move("host-tier", f"size {size} GB a rank", {SIZE: size}, costs=COSTS)
    flags[RATIO] = ratio
    return Move("host-tier", f"ratio {ratio:g}", flags, costs=COSTS)


def _why_not(now: Situation, ratio: float, largest: Ratios) -> str:
    device = now.budget.pools.total_bytes
    pinned = int(device * ratio) * now.service.ranks
    facts = now.host.facts
    available = gib(facts.available_bytes or 0)
    ranks = f"{now.service.ranks} rank{'s' if now.service.ranks > 1 else ''}"
    ends = f"the largest by policy is {largest.policy:.2f}" if largest.policy is not None else "no ratio fits"
    if facts.available_bytes is not None and pinned > facts.available_bytes:
        return f"{ranks} would pin about {gib(pinned)} of {available}; {ends}"
    if largest.policy is None or ratio > largest.policy:
        kept = gib(facts.reserve_bytes)
        return f"{ranks} would pin about {gib(pinned)} of {available}, policy keeps {kept}; {ends}"
    engine = "none" if largest.engine is None else f"{largest.engine:.2f}"
    return f"the engine's own check passes in any order of the ranks up to {engine}"
