"""Speculative decoding: its draft takes weights, KV rows and reserve of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.options.move import Move, Risk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sgfleet.options.move import Ruled
    from sgfleet.options.situation import Situation


def moves(now: Situation, flags: Mapping[str, object]) -> Iterator[Move | Ruled]:
    """Without it. `flags` are those of the service."""
    speculative = now.settings.speculative
    if speculative is None:
        return
    gone = {name: None for name in flags if name.startswith("speculative-")}
    if not gone:
        return
    costs = ("generation is slower: each step gives one token",)
    yield Move("speculation", f"without {speculative.algorithm}", gone, Risk.MEDIUM, costs)
