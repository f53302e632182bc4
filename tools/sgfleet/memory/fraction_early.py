"""Defaults of the memory fraction before 0.5.3: by the number of ranks, then by the size of the card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.memory.era import from_release
from sgfleet.memory.eras import FRACTION, SPECULATIVE_RESERVE_MIB

if TYPE_CHECKING:
    from sgfleet.memory.settings import Settings

_BY_RANKS: Final = ((16, 0.79), (8, 0.81), (4, 0.85), (2, 0.87), (1, 0.88))
_SMALL_MIB: Final = 25_000


def batches(settings: Settings, memory_mib: int | None) -> tuple[int, int]:
    """(chunk tokens, largest decode graph batch)."""
    if FRACTION.at(settings.release) == "tiers":
        if memory_mib is None:
            return 4096, 160
        small = memory_mib < 35 * 1024
        chunk = 2048 if small else 8192 if memory_mib < 160 * 1024 else 16384
    else:
        small = memory_mib is not None and memory_mib < _SMALL_MIB
        chunk = 2048 if small else 8192
    return chunk, (8 if settings.tp < 4 else 80) if small else 160


def default(settings: Settings, memory_mib: int) -> tuple[float, float | None]:
    """(fraction, reserve in MiB where there is one)."""
    form = FRACTION.at(settings.release)
    if form == "tiers":
        reserve = _tier_reserve(settings, memory_mib)
        return round((memory_mib - reserve) / memory_mib, 3), reserve
    if form == "ranks":
        return _by_ranks(settings.tp), None
    if form == "ranks-or-13":
        if memory_mib <= 81920:
            return _by_ranks(settings.tp), None
        return (memory_mib - 13 * 1024) / memory_mib, 13 * 1024.0
    return _scaled(settings, memory_mib, with_speculation=form == "ranks-scaled-spec"), None


def _by_ranks(ranks: int) -> float:
    return next(value for at_least, value in _BY_RANKS if ranks >= at_least)


def _scaled(settings: Settings, memory_mib: int, *, with_speculation: bool) -> float:
    """0.4.6.post2 to 0.4.7: what a card of 48 GiB would leave, on larger cards with a reserve of 18 GiB."""
    value = _by_ranks(settings.tp * settings.pp) if memory_mib <= 81920 else 0.88
    speculating = with_speculation and settings.speculative is not None
    if with_speculation and memory_mib > 180_000:
        return 0.79
    if memory_mib > 96 * 1024:
        reserve = 1024 * (20 if speculating else 18)
        return min(value + 48 * 1024 * (1 - value) / memory_mib, (memory_mib - reserve) / memory_mib)
    return value * 0.95 if speculating else value


def _tier_reserve(settings: Settings, memory_mib: int) -> float:
    """0.4.7.post1 to 0.5.2: a reserve by the size of the card, MiB."""
    ranks = settings.tp * settings.pp
    if memory_mib < 35 * 1024:
        reserve = (2.8 + ranks / 10) * 1024
    elif memory_mib < 90 * 1024:
        reserve = (9.5 + ranks / 2) * 1024
    elif memory_mib < 160 * 1024:
        reserve = (12 + ranks / 2) * 1024
    else:
        reserve = 32 * 1024.0
    if settings.speculative is not None:
        standalone = settings.speculative.algorithm == "STANDALONE" and from_release(settings.release, "0.5.2")
        reserve += 6144 if standalone else SPECULATIVE_RESERVE_MIB.at(settings.release)
    if settings.attention_dp > 1:
        reserve += 4 * 1024
    return reserve
