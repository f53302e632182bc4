"""Words of a specification in messages: as they are where that is safe, else in quotes and cut short."""

from __future__ import annotations

import re
from typing import Final

_PLAIN: Final = re.compile(r"[A-Za-z0-9_./:@%+=,~-]{1,120}")
_LONGEST: Final = 60


def quoted(word: str) -> str:
    """The word for a message of one line: nothing in it that a terminal would act on, and never very long."""
    if _PLAIN.fullmatch(word):
        return word
    return ascii(word) if len(word) <= _LONGEST else f"{word[:_LONGEST]!a}..."
