"""How many requests run at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.memory.state import SPECULATIVE_REQUESTS

if TYPE_CHECKING:
    from sgfleet.options.situation import Situation


def requests_of(now: Situation) -> int | None:
    """The most requests that run at once: as asked, or the default with speculation; None where KV tokens decide."""
    if now.settings.max_running_requests is not None:
        return now.settings.max_running_requests
    return SPECULATIVE_REQUESTS if now.settings.speculative is not None else None
