"""Versions of SGLang in their order, and the near ones of a version that does not exist."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_RELEASE: Final = re.compile(r"(0|[1-9]\d{0,5})((?:\.(?:0|[1-9]\d{0,5})){1,3})(?:\.post(0|[1-9]\d{0,5}))?")

FIRST: Final = "0.4.0"
"""The oldest release that this project has a schema of."""


def is_release(text: str) -> bool:
    """Whether the text is a final or post release in the spelling of the package index."""
    return _RELEASE.fullmatch(text) is not None


def key(version: str) -> tuple[int, ...]:
    """A sort key: numbers part by part, a post release behind its final one.

    Raises:
        ValueError: the text is no final or post release.
    """
    found = _RELEASE.fullmatch(version)
    if found is None:
        raise ValueError(f"{version!r} is no final or post release")
    numbers = [int(part) for part in (found.group(1) + found.group(2)).split(".")]
    numbers += [0] * (4 - len(numbers))
    return (*numbers, int(found.group(3)) if found.group(3) else -1)


def in_order(versions: Iterable[str]) -> list[str]:
    """Final and post releases, the oldest first; everything else is left out."""
    return sorted((version for version in versions if is_release(version)), key=key)


def near(wanted: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known releases that somebody may have meant, the nearest first.

    Those with the same final release come first, then its neighbours in order. A release that is not written in full
    has the newest ones that begin like it.
    """
    ordered = in_order(known)
    begun = [version for version in ordered if version.startswith(f"{wanted.rstrip('.')}.")]
    if begun and wanted.count(".") < FIRST.count("."):  # 0.5: the newest that begin like this
        return begun[: -most - 1 : -1]
    if not is_release(wanted):
        import difflib

        return difflib.get_close_matches(wanted, ordered, n=most, cutoff=0.6)
    place = key(wanted)
    below = [version for version in reversed(ordered) if key(version) < place]
    above = [version for version in ordered if key(version) > place]
    same = [version for version in (*below, *above) if key(version)[:4] == place[:4]]
    neighbours = [version for pair in zip(below, above, strict=False) for version in pair] or below or above
    return list(dict.fromkeys([*same, *neighbours]))[:most]
