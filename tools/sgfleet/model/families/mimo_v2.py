"""MiMo V2: sliding and full layers with different numbers of KV heads, values narrower than keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.model.families import fields
from sgfleet.model.layer import Attention, Layer

if TYPE_CHECKING:
    from sgfleet.model.config import Section

MODEL_TYPES = frozenset({"mimo_v2_flash", "mimo_v2"})


def layers(text: Section, _model_type: str) -> tuple[Layer, ...]:
    """The pattern has 1 for a sliding layer and 0 for a full one."""
    count = fields.layer_count(text)
    pattern = text.per_layer("hybrid_layer_pattern", text.integers("hybrid_layer_pattern"), count)
    sparse = fields.sparse_layers(text, count)
    dense = None if all(sparse) else fields.mlp(text)
    experts = fields.moe(text) if any(sparse) else None
    return tuple(
        Layer(attention(text, sliding=is_sliding == 1), experts if is_sparse else dense)
        for is_sliding, is_sparse in zip(pattern, sparse, strict=True)
    )


def attention(text: Section, *, sliding: bool) -> Attention:
    """A sliding layer has its own numbers under names with `swa_`, falling back to the plain ones."""
    heads, kv_heads = text.positive(*fields.HEADS), text.positive("num_key_value_heads")
    head_dim = text.positive("head_dim")
    v_head_dim = text.positive("v_head_dim", default=head_dim)
    if sliding:
        heads = text.positive("swa_num_attention_heads", default=heads)
        kv_heads = text.positive("swa_num_key_value_heads", default=kv_heads)
        head_dim = text.positive("swa_head_dim", default=head_dim)
        v_head_dim = text.positive("swa_v_head_dim", default=v_head_dim)
    return Attention(
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        v_head_dim=v_head_dim,
        window=text.positive("sliding_window", "sliding_window_size") if sliding else None,
        bias=text.flag("attention_bias"),
        sinks=text.flag("add_swa_attention_sink_bias" if sliding else "add_full_attention_sink_bias"),
    )
