"""Ring and Ling hybrids (Bailing): lightning or delta attention in all but every nth layer, and LFM2's convolutions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.model.families import decoder, fields, latent
from sgfleet.model.layer import Attention, LatentAttention, Layer, LinearAttention

if TYPE_CHECKING:
    from sgfleet.model.config import Section

MODEL_TYPES = frozenset({"bailing_hybrid", "bailing_moe_linear", "bailing_moe_linear_v2", "lfm2", "lfm2_moe"})


def layers(text: Section, model_type: str) -> tuple[Layer, ...]:
    """Layers that keep a state, and layers with attention, as the configuration lists or counts them."""
    count = fields.layer_count(text)
    is_lfm = model_type.startswith("lfm2")
    state = _short_convolution(text) if is_lfm else _linear(text)
    full = _conv_layers(text, count) if is_lfm else _every_nth(text, count)
    sparse = fields.sparse_layers(text, count)
    dense = None if all(sparse) else fields.mlp(text)
    experts = fields.moe(text) if any(sparse) else None
    return tuple(
        Layer(_attention(text, model_type, index) if full[index] else state, experts if sparse[index] else dense)
        for index in range(count)
    )


def _attention(text: Section, model_type: str, index: int) -> Attention | LatentAttention:
    if text.has("kv_lora_rank"):
        return latent.attention(text, model_type, index)
    return decoder.attention(text, decoder.NORMED, None)


def _conv_layers(text: Section, count: int) -> tuple[bool, ...]:
    types = text.per_layer("layer_types", text.words("layer_types"), count)
    return tuple("conv" not in kind for kind in types)


def _every_nth(text: Section, count: int) -> tuple[bool, ...]:
    size = text.find("layer_group_size")[1]
    if isinstance(size, list):
        return tuple(value != 1 for value in text.each("layer_group_size", count))
    every = text.positive("layer_group_size", default=1)
    return tuple((index + 1) % every == 0 for index in range(count))


def _linear(text: Section) -> LinearAttention:
    heads = text.positive("num_linear_key_value_heads", *fields.HEADS)
    head_dim = text.positive("head_dim", default=fields.hidden_size(text) // text.positive(*fields.HEADS))
    convolution = text.maybe("short_conv_kernel_size")
    return LinearAttention(
        form="lightning" if convolution is None else "kda",
        k_heads=heads,
        v_heads=heads,
        k_head_dim=head_dim,
        v_head_dim=head_dim,
        conv_kernel=convolution or 1,
    )


def _short_convolution(text: Section) -> LinearAttention:
    return LinearAttention(
        form="shortconv",
        k_heads=1,
        v_heads=1,
        k_head_dim=0,
        v_head_dim=fields.hidden_size(text),
        conv_kernel=text.positive("conv_L_cache", default=3),
    )
