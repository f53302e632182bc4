"""Names that somebody may have meant, found fast enough to be asked for thousands of command lines."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_MOST: Final = 3
_CUTOFF: Final = 0.6
_SPREAD: Final = 0.15
"""How far behind the nearest name another one may be and still be named."""
_LONGEST: Final = 100
"""Characters of a word that are compared; nobody mistypes more."""
_COMPARED: Final = 12
"""Names that share most pairs of letters with a word: difflib, which is slow and exact, sees no others."""


def nearest(word: str, known: Iterable[str]) -> list[str]:
    """Up to three of the known names that come near, the nearest first."""
    return list(_nearest(word[:_LONGEST].lower(), tuple(known)))


@lru_cache(maxsize=1024)
def _nearest(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    import difflib

    matcher = difflib.SequenceMatcher(b=word)
    ratios: dict[str, float] = {}
    for name in _alike(word, known):
        matcher.set_seq1(name.lower())
        # The first two are cheap and never below the third, which is counted only where it can come out near.
        if matcher.real_quick_ratio() >= _CUTOFF and matcher.quick_ratio() >= _CUTOFF:
            ratios[name] = matcher.ratio()
    best = max(ratios.values(), default=0.0)
    found = [name for name, ratio in ratios.items() if ratio >= max(_CUTOFF, best - _SPREAD)]
    return tuple(sorted(found, key=lambda name: -ratios[name])[:_MOST])


def _alike(word: str, known: tuple[str, ...]) -> list[str]:
    """The known names that share most pairs of letters with a word, in their own order where they share as many."""
    holding = _holding(known)
    shared = Counter(place for pair in _pairs(word) for place in holding.get(pair, ()))
    found = sorted(shared, key=lambda place: (-shared[place], place))[:_COMPARED]
    others = (place for place in range(len(known)) if place not in shared)
    return [known[place] for place in (*found, *islice(others, _COMPARED - len(found)))]


@lru_cache(maxsize=64)
def _holding(known: tuple[str, ...]) -> Mapping[str, tuple[int, ...]]:
    """Pair of letters -> the places of the known names that hold it."""
    found: dict[str, list[int]] = {}
    for place, name in enumerate(known):
        for pair in _pairs(name.lower()):
            found.setdefault(pair, []).append(place)
    return {pair: tuple(places) for pair, places in found.items()}


def _pairs(name: str) -> frozenset[str]:
    return frozenset(name[index : index + 2] for index in range(len(name) - 1))
