"""Names that somebody may have meant, found fast enough to be asked for thousands of command lines."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST: Final = 3
_CUTOFF: Final = 0.6
_SPREAD: Final = 0.15
"""How far behind the nearest name another one may be and still be named."""
_LONGEST: Final = 100
"""Characters of a word that are compared; nobody mistypes more."""


def nearest(word: str, known: Iterable[str]) -> list[str]:
    """Up to three of the known names that come near, the nearest first."""
    return list(_nearest(word[:_LONGEST].lower(), tuple(known)))


@lru_cache(maxsize=1024)
def _nearest(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    import difflib

    pairs = _pairs(word)
    # Names that share most pairs of letters; difflib, which is slow and exact, then has few to look at.
    alike = sorted(known, key=lambda name: -len(pairs & _pairs(name.lower())))[:12]
    matcher = difflib.SequenceMatcher(b=word)
    ratios: dict[str, float] = {}
    for name in alike:
        matcher.set_seq1(name.lower())
        ratios[name] = matcher.ratio()
    best = max(ratios.values(), default=0.0)
    found = [name for name, ratio in ratios.items() if ratio >= max(_CUTOFF, best - _SPREAD)]
    return tuple(sorted(found, key=lambda name: -ratios[name])[:_MOST])


@lru_cache(maxsize=8192)
def _pairs(name: str) -> frozenset[str]:
    return frozenset(name[index : index + 2] for index in range(len(name) - 1))
