"""Models pruned by architecture search (Llama-Nemotron): every layer has a block description of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sgfleet.model.families import fields
from sgfleet.model.layer import Attention, Layer, Mlp

if TYPE_CHECKING:
    from sgfleet.model.config import Section

MODEL_TYPES = frozenset({"nemotron-nas"})
MULTIPLE: Final = 256
"""Widths are rounded up to a multiple of this."""


def layers(text: Section, _model_type: str) -> tuple[Layer, ...]:
    """A layer may lack its attention or its feed-forward block."""
    blocks = text.find("block_configs")[1]
    if not isinstance(blocks, list) or not blocks:
        raise text.problem("has no block_configs")
    return tuple(_layer(text, index, block) for index, block in enumerate(blocks))


def _layer(text: Section, index: int, block: object) -> Layer:
    attention, ffn = (_part(text, index, block, name) for name in ("attention", "ffn"))
    return Layer(_attention(text, attention), _mlp(text, index, ffn))


def _part(text: Section, index: int, block: object, name: str) -> dict[str, Any]:
    part = block.get(name) if isinstance(block, dict) else None
    if not isinstance(part, dict):
        raise text.problem(f"has no {name} in block_configs[{index}]")
    return part


def _attention(text: Section, part: dict[str, Any]) -> Attention | None:
    group = part.get("n_heads_in_group")
    if part.get("no_op") or not isinstance(group, int) or group < 1:
        return None
    heads = text.positive(*fields.HEADS)
    head_dim = text.positive("head_dim", default=fields.hidden_size(text) // heads)
    window = part.get("window_length")
    return Attention(
        heads=heads,
        kv_heads=heads // group,
        head_dim=head_dim,
        v_head_dim=head_dim,
        window=window if isinstance(window, int) and window > 0 else None,
    )


def _mlp(text: Section, index: int, part: dict[str, Any]) -> Mlp | None:
    if part.get("no_op"):
        return None
    if isinstance(part.get("intermediate_size"), int):
        return Mlp(part["intermediate_size"])
    factor = part.get("ffn_mult")
    if not isinstance(factor, int | float) or not 0 < factor < 1000:
        raise text.problem(f"has no ffn_mult in block_configs[{index}]")
    width = int(2 * factor * fields.hidden_size(text) / 3)
    return Mlp(-(-width // MULTIPLE) * MULTIPLE)
