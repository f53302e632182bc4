"""Kimi Linear and Kimi K3: delta attention with a gate for every channel, and latent attention in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.model.families import fields, latent
from sgfleet.model.layer import Layer, LinearAttention

if TYPE_CHECKING:
    from sgfleet.model.config import Section

MODEL_TYPES = frozenset({"kimi_linear"})


def layers(text: Section, model_type: str) -> tuple[Layer, ...]:
    """Delta attention where the configuration lists it (layers counted from 1), latent attention elsewhere."""
    count = fields.layer_count(text)
    linear = text.section("linear_attn_config")
    delta_layers = frozenset(linear.integers("kda_layers")) if linear is not None else frozenset()
    sparse = fields.sparse_layers(text, count)
    dense = None if all(sparse) else fields.mlp(text)
    routed = fields.moe(text) if any(sparse) else None
    experts = None if routed is None else routed._replace(latent_size=text.maybe("routed_expert_hidden_size"))
    return tuple(
        Layer(
            delta(linear)
            if linear is not None and index + 1 in delta_layers
            else latent.attention(text, model_type, index),
            experts if sparse[index] else dense,
        )
        for index in range(count)
    )


def delta(linear: Section) -> LinearAttention:
    """The delta attention; K3's output gate is a full matrix, Kimi Linear's has low rank."""
    heads, head_dim = linear.positive("num_heads"), linear.positive("head_dim")
    return LinearAttention(
        form="kda-full-gate" if linear.flag("use_full_rank_gate") else "kda",
        k_heads=heads,
        v_heads=heads,
        k_head_dim=head_dim,
        v_head_dim=head_dim,
        conv_kernel=linear.positive("short_conv_kernel_size", default=4),
    )
