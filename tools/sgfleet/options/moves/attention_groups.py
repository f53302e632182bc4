"""Attention in groups (dp-attention): each group holds KV rows of its own requests instead of a copy of the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sgfleet.model.layer import Attention
from sgfleet.options.move import Move, Risk, Ruled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.options.situation import Situation

_TITLE: Final = "attention in groups"


def moves(now: Situation) -> Iterator[Move | Ruled]:
    """Every number of groups that divides the ranks, where KV rows are held more than once today."""
    settings = now.settings
    if settings.tp == 1:
        yield Ruled(_TITLE, "there is one rank: nothing is held twice")
        return
    if not _is_repeated(now):
        yield Ruled(_TITLE, f"KV heads are divided among all {settings.attention_tp} ranks: nothing is held twice")
        return
    groups = [size for size in range(2, settings.tp + 1) if settings.tp % size == 0 and size > settings.attention_dp]
    if settings.replicas > 1 or not groups:
        yield Ruled(_TITLE, "there are as many groups or copies as there can be")
        return
    for size in groups:
        flags = _flags(now, size)
        if flags is None:
            yield Ruled(_TITLE, f"SGLang {now.release.version} has no dp-attention")
            return
        yield Move(
            "attention-groups",
            f"{size} attention groups",
            flags,
            Risk.MEDIUM,
            ("attention weights are held once a group, and the engine keeps more of the GPU free",),
            ("another way of running the model: measure speed and memory before it serves",),
        )


def _is_repeated(now: Situation) -> bool:
    """Whether ranks of a group hold the same rows."""
    if now.budget.cell.latent:
        return now.settings.attention_tp > 1
    heads = [mixer.kv_heads for mixer in now.service.load.shape.mixers if isinstance(mixer, Attention)]
    return any(now.settings.attention_tp > count for count in heads)


def _flags(now: Situation, size: int) -> dict[str, Any] | None:
    new = now.flag("attn-dp-size")
    if new is not None:
        return {new: size}
    switch = now.flag("enable-dp-attention")
    count = now.flag("dp-size", "data-parallel-size")
    return None if switch is None or count is None else {switch: True, count: size}
