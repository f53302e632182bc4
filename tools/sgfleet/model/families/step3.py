"""Step 3.5 and 3.7 Flash: sliding layers with their own head counts, a gate for every head."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.model.families import decoder, fields
from sgfleet.model.layer import Attention, Layer

if TYPE_CHECKING:
    from sgfleet.model.config import Section

MODEL_TYPES = frozenset({"step3p5", "step3p7"})


def layers(text: Section, _model_type: str) -> tuple[Layer, ...]:
    """Each layer by its type; the list of types goes on into the MTP layers."""
    count = fields.layer_count(text)
    sparse = fields.sparse_layers(text, count)
    dense = None if all(sparse) else fields.mlp(text)
    experts = fields.moe(text) if any(sparse) else None
    return tuple(
        Layer(attention(text, window), experts if is_sparse else dense)
        for window, is_sparse in zip(fields.windows(text, count), sparse, strict=True)
    )


def attention(text: Section, window: int | None) -> Attention:
    """One layer's attention; `attention_other_setting` holds the sliding layers' head counts."""
    plain = decoder.attention(text, decoder.NORMED, window)
    if text.flag("use_head_wise_attn_gate"):
        plain = plain._replace(output_gate="head")
    other = text.section("attention_other_setting")
    if window is None or other is None:
        return plain
    return plain._replace(
        heads=other.positive("num_attention_heads", default=plain.heads),
        kv_heads=other.positive("num_attention_groups", default=plain.kv_heads),
    )
