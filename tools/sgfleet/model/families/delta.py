"""Hybrids with gated delta nets: Qwen3-Next and Qwen3.5 (three of four layers keep a state instead of KV rows)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.model.families import decoder, fields
from sgfleet.model.layer import Attention, Layer, LinearAttention

if TYPE_CHECKING:
    from sgfleet.model.config import Section

MODEL_TYPES = frozenset({"qwen3_next", "qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text"})
TRAITS = decoder.Traits(qk_norm="head", shared_gate=True)


def layers(text: Section, _model_type: str) -> tuple[Layer, ...]:
    """Full attention in every nth layer, delta nets elsewhere."""
    count = fields.layer_count(text)
    sparse = fields.sparse_layers(text, count)
    dense = None if all(sparse) else fields.mlp(text)
    experts = fields.moe(text, shared_gate=True) if any(sparse) else None
    full, delta = attention(text), delta_net(text)
    return tuple(
        Layer(full if is_full else delta, experts if is_sparse else dense)
        for is_full, is_sparse in zip(full_layers(text, count), sparse, strict=True)
    )


def full_layers(text: Section, count: int) -> tuple[bool, ...]:
    """Which layers have full attention: listed, or every `full_attention_interval`th."""
    types = text.words("layer_types")
    if types:
        return tuple(kind == "full_attention" for kind in text.per_layer("layer_types", types, count))
    every = text.positive("full_attention_interval", default=4)
    return tuple((index + 1) % every == 0 for index in range(count))


def attention(text: Section) -> Attention:
    """The full layers' attention; its output gate is as wide as the queries unless the configuration says no."""
    plain = decoder.attention(text, TRAITS, None)
    return Attention(
        heads=plain.heads,
        kv_heads=plain.kv_heads,
        head_dim=plain.head_dim,
        v_head_dim=plain.v_head_dim,
        bias=plain.bias,
        output_bias=plain.output_bias,
        qk_norm="head",
        output_gate="element" if text.flag("attn_output_gate", default=True) else None,
    )


def delta_net(text: Section) -> LinearAttention:
    """The delta net of the other layers."""
    return LinearAttention(
        form="gdn",
        k_heads=text.positive("linear_num_key_heads"),
        v_heads=text.positive("linear_num_value_heads"),
        k_head_dim=text.positive("linear_key_head_dim"),
        v_head_dim=text.positive("linear_value_head_dim"),
        conv_kernel=text.positive("linear_conv_kernel_dim"),
        state_dtype=text.word("mamba_ssm_dtype"),
    )
