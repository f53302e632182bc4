"""Which rules have nothing to say about what was seen before: hosts that are alike are not asked everything again.

A rule is pure, so whether it says something follows from what its view holds. Only silence is shared, by content. What
a rule does say is asked for anew at every host, with that host's names, places and secrets.
"""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from sgfleet.rules.registry import Check
    from sgfleet.rules.rule import Stage

_KEPT: Final = 512
"""Contents that are remembered. A fleet has few kinds of hosts; where each is of its own kind, nothing is gained."""


def content(data: Any) -> bytes:
    """Plain data (what YAML gives) as bytes: equal bytes, equal data. 1, 1.0 and true differ."""
    return marshal.dumps(data, 2)  # version 2 writes no references, whose use depends on what else holds a value


class Silence:
    """Content -> the rules that spoke. For one fleet on one day: policy, flag schemas and date are the same for all."""

    def __init__(self) -> None:
        self._speakers: dict[tuple[Stage, str | None, bytes], tuple[Check, ...]] = {}

    def speakers(self, stage: Stage, service: str | None, seen: bytes) -> tuple[Check, ...] | None:
        """The rules of a stage that said something about the same; None where it was not seen."""
        return self._speakers.get((stage, service, seen))

    def keep(self, stage: Stage, service: str | None, seen: bytes, speakers: tuple[Check, ...]) -> None:
        """Remember who spoke. A rule that broke counts as one that did."""
        if len(self._speakers) >= _KEPT:
            self._speakers.clear()
        self._speakers[stage, service, seen] = speakers
