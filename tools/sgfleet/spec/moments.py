"""Dates and moments as people write them."""

from __future__ import annotations

import contextlib
import datetime
import re
from typing import Any, Final

MOMENT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[-+][0-9]{2}:[0-9]{2})"
)


def date(value: Any) -> datetime.date:
    """`2026-12-31` -> the day.

    Raises:
        ValueError: without words: it has no other form.
    """
    # Only the one form: fromisoformat alone also takes 20261231 and 2026-W53-4, which a JSON Schema "date" is not.
    if isinstance(value, str) and len(value) == len("2026-12-31") and value[4] == value[7] == "-":
        with contextlib.suppress(ValueError):  # its words are Python's, not ours
            return datetime.date.fromisoformat(value)
    raise ValueError


def moment(value: Any) -> datetime.datetime:
    """`2026-12-31T08:30:00Z` -> the moment, with its zone.

    Raises:
        ValueError: without words, as for `date`.
    """
    if isinstance(value, str) and MOMENT.fullmatch(value):
        with contextlib.suppress(ValueError):
            return datetime.datetime.fromisoformat(value)
    raise ValueError
