"""What hosts that are alike have in common, by content: which rules have nothing to say, and what flags come to.

A rule is pure, so whether it says something follows from what its view holds, and a rule that was silent is not asked
again about the same. What a rule does say is asked for at every host, with that host's names, places and secrets.
"""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.registry import Check
    from sgfleet.rules.rule import Stage

_KEPT: Final = 512
"""Contents that are remembered. A fleet has few kinds of hosts; where each is of its own kind, nothing is gained."""


def content(data: Any) -> bytes:
    """Plain data (what YAML gives) as bytes: equal bytes, equal data. 1, 1.0 and true differ."""
    return marshal.dumps(data, 2)  # version 2 writes no references, whose use depends on what else holds a value


class Shared:
    """For one fleet on one day: the policy, the flag schemas and the date are the same for all that is seen."""

    def __init__(self) -> None:
        self._speakers: dict[tuple[Stage, str | None, bytes], tuple[Check, ...]] = {}
        self._asked: dict[bytes, list[Arguments]] = {}

    def asked(self, seen: bytes) -> list[Arguments]:
        """What the flags of a service with this content come to, empty before somebody asks."""
        if len(self._asked) >= _KEPT:
            self._asked.clear()
        return self._asked.setdefault(seen, [])

    def speakers(self, stage: Stage, service: str | None, seen: bytes) -> tuple[Check, ...] | None:
        """The rules of a stage that said something about the same; None where it was not seen."""
        return self._speakers.get((stage, service, seen))

    def keep(self, stage: Stage, service: str | None, seen: bytes, speakers: tuple[Check, ...]) -> None:
        """Remember who spoke. A rule that broke counts as one that did."""
        if len(self._speakers) >= _KEPT:
            self._speakers.clear()
        self._speakers[stage, service, seen] = speakers
