"""Sentences without the secrets that they quote."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sgfleet.spec.secret_shapes import shaped_spans

if TYPE_CHECKING:
    from collections.abc import Iterable

SHORTEST: Final = 8
"""Only a text of this length is searched for where it does not stand as a secret: `none` and `auto` are words."""
SHORTEST_OWN: Final = 4
"""The same for a sentence about the secret's own place."""
_CUT: Final = ("...", "\N{HORIZONTAL ELLIPSIS}")


def without(text: str, words: Iterable[str], own: Iterable[str], mark: str) -> str:
    """The sentence with a mark in place of every secret, also where only the beginning of one is quoted.

    `words` have `SHORTEST` characters and more, the longest first. `own` are shorter ones that belong to what the
    sentence is about: they are taken out as words of their own.
    """
    for word in words:
        text = _cut_short(text.replace(word, mark), word, mark)
    for word in own:
        if word in text:
            text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", lambda _: mark, text)
    for start, end in _shaped(text):
        text = f"{text[:start]}{mark}{text[end:]}"
    return text


@lru_cache(maxsize=4096)
def _shaped(text: str) -> tuple[tuple[int, int], ...]:
    """The last one first. Findings of a fleet have most of their sentences in common."""
    return tuple(sorted(shaped_spans(text), reverse=True))


def _cut_short(text: str, word: str, mark: str) -> str:
    at = text.find(word[:SHORTEST])
    if at < 0:
        return text
    end = next((end for end in range(at, len(text)) if not word.startswith(text[at : end + 1])), len(text))
    return f"{text[:at]}{mark}{text[end:]}" if end == len(text) or text.startswith(_CUT, end) else text
