"""Gemma 3n and 4: sliding and full layers with head sizes of their own, KV rows that layers share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.model.families import fields
from sgfleet.model.layer import Attention, Layer, Mlp, Moe

if TYPE_CHECKING:
    from sgfleet.model.config import Section

MODEL_TYPES = frozenset({"gemma4_text", "gemma4_unified_text", "gemma3n_text"})


def layers(text: Section, model_type: str) -> tuple[Layer, ...]:
    """Each layer by its type; the last `num_kv_shared_layers` store no rows of their own."""
    count = fields.layer_count(text)
    first_shared = count - text.integer("num_kv_shared_layers", default=0)
    widths = text.each("intermediate_size", count)
    types = text.words("layer_types") or tuple("full" if (index + 1) % 6 == 0 else "sliding" for index in range(count))
    return tuple(
        Layer(
            attention(text, model_type, sliding="sliding" in kind)._replace(shares_kv=index >= first_shared),
            block(text, widths[index] * (2 if index >= first_shared and text.flag("use_double_wide_mlp") else 1)),
        )
        for index, kind in enumerate(text.per_layer("layer_types", types, count))
    )


def attention(text: Section, model_type: str, *, sliding: bool) -> Attention:
    """A sliding layer has the plain names, a full one the global names where there are any."""
    heads, kv_heads = text.positive(*fields.HEADS), text.positive("num_key_value_heads")
    head_dim = text.positive("head_dim")
    if not sliding:
        kv_heads = text.positive("num_global_key_value_heads", default=kv_heads)
        head_dim = text.positive("global_head_dim", default=head_dim)
    return Attention(
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        v_head_dim=head_dim,
        window=text.positive("sliding_window") if sliding else None,
        bias=text.flag("attention_bias"),
        output_bias=text.flag("attention_bias"),
        qk_norm="head",
        k_is_v=not sliding and model_type != "gemma3n_text" and text.flag("attention_k_eq_v"),
    )


def block(text: Section, width: int) -> Mlp | Moe:
    """The dense block, with experts beside it in the sparse model."""
    dense = Mlp(width)
    if not text.flag("enable_moe_block"):
        return dense
    return fields.moe(text)._replace(dense=dense)
