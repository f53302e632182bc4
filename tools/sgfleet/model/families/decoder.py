"""The common decoder: grouped-query attention, dense or with experts, with sliding layers or without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sgfleet.model.families import fields
from sgfleet.model.layer import Attention, Layer

if TYPE_CHECKING:
    from sgfleet.model.config import Section


@dataclass(frozen=True, slots=True)
class Traits:
    """What a family has that its configuration does not spell out."""

    bias: bool = False
    output_bias: bool | None = None
    qk_norm: str | None = None
    gated: bool = True
    mlp_bias: bool = False
    moe_bias: bool = False
    sinks: bool = False
    shared_gate: bool = False
    tied: bool = False
    window_pattern: int | None = None


PLAIN: Final = Traits()
BIASED: Final = Traits(bias=True, output_bias=False)
NORMED: Final = Traits(qk_norm="head")
ROW_NORMED: Final = Traits(qk_norm="row")
OLD: Final = Traits(bias=True, gated=False, mlp_bias=True, tied=True)
TRAITS: Final[dict[str, Traits]] = {
    "afmoe": NORMED,
    "apertus": Traits(qk_norm="head", gated=False),
    "arcee": Traits(gated=False),
    "baichuan": PLAIN,
    "bailing_moe": NORMED,
    "bailing_moe_v2": NORMED,
    "chatglm": BIASED,
    "cohere": Traits(tied=True),
    "cohere2": Traits(tied=True, window_pattern=4),
    "ernie4_5": Traits(tied=True),
    "ernie4_5_moe": PLAIN,
    "ernie4_5_moe_vl": PLAIN,
    "exaone": PLAIN,
    "exaone4": NORMED,
    "exaone_moe": NORMED,
    "gemma": Traits(tied=True),
    "gemma2": Traits(tied=True, window_pattern=2),
    "gemma3": Traits(qk_norm="head", tied=True, window_pattern=6),
    "gemma3_text": Traits(qk_norm="head", tied=True, window_pattern=6),
    "glm": BIASED,
    "glm4": BIASED,
    "glm4_moe": NORMED,
    "glm4v_moe_text": NORMED,
    "gpt2": OLD,
    "gpt_bigcode": OLD,
    "gpt_oss": Traits(bias=True, moe_bias=True, sinks=True),
    "granite": PLAIN,
    "granitemoe": PLAIN,
    "hunyuan": NORMED,
    "hunyuan_v1_dense": NORMED,
    "hunyuan_v1_moe": NORMED,
    "internlm2": PLAIN,
    "internlm3": PLAIN,
    "llama": PLAIN,
    "mimo": BIASED,
    "minicpm": PLAIN,
    "minimax_m2": ROW_NORMED,
    "ministral3": PLAIN,
    "mistral": PLAIN,
    "mixtral": PLAIN,
    "nemotron": Traits(gated=False),
    "olmo": PLAIN,
    "olmo2": ROW_NORMED,
    "olmo3": ROW_NORMED,
    "olmoe": ROW_NORMED,
    "phi": OLD,
    "phi3": PLAIN,
    "phimoe": Traits(bias=True),
    "qwen2": BIASED,
    "qwen2_5_vl": BIASED,
    "qwen2_5_vl_text": BIASED,
    "qwen2_moe": Traits(bias=True, output_bias=False, shared_gate=True),
    "qwen2_vl": BIASED,
    "qwen2_vl_text": BIASED,
    "qwen3": NORMED,
    "qwen3_moe": NORMED,
    "qwen3_vl_moe_text": NORMED,
    "qwen3_vl_text": NORMED,
    "seed_oss": BIASED,
    "smollm3": PLAIN,
    "solar": PLAIN,
    "stablelm": PLAIN,
    "starcoder2": Traits(bias=True, gated=False, mlp_bias=True, tied=True),
    "xverse": PLAIN,
    "yi": PLAIN,
}
"""Families whose attention and experts are read by the common names, by `model_type` of the language model."""


def layers(text: Section, model_type: str) -> tuple[Layer, ...]:
    """The layers of a decoder that uses the common names; an unknown family is read as if it were Llama's kin."""
    traits = TRAITS.get(model_type, _guessed(text))
    count = fields.layer_count(text)
    sparse = fields.sparse_layers(text, count)
    dense = None if all(sparse) else fields.mlp(text, gated=traits.gated, bias=traits.mlp_bias)
    experts = fields.moe(text, bias=traits.moe_bias, shared_gate=traits.shared_gate) if any(sparse) else None
    return tuple(
        Layer(attention(text, traits, window), experts if is_sparse else dense)
        for window, is_sparse in zip(layer_windows(text, traits, count), sparse, strict=True)
    )


def layer_windows(text: Section, traits: Traits, count: int) -> tuple[int | None, ...]:
    """Windows as the configuration says, or by the family's pattern where an older configuration leaves it out."""
    window = text.maybe("sliding_window")
    if window and traits.window_pattern and not text.has("layer_types", "sliding_window_pattern"):
        return tuple(window if (index + 1) % traits.window_pattern else None for index in range(count))
    return fields.windows(text, count)


def attention(text: Section, traits: Traits, window: int | None) -> Attention:
    """The attention block of one layer."""
    heads = text.positive(*fields.HEADS)
    head_dim = text.maybe("head_dim", "attention_head_dim", "kv_channels") or fields.hidden_size(text) // heads
    bias = text.flag("attention_bias", "qkv_bias", "use_qkv_bias", "use_bias", "add_qkv_bias", default=traits.bias)
    return Attention(
        heads=heads,
        kv_heads=fields.kv_heads(text, heads),
        head_dim=head_dim,
        v_head_dim=text.maybe("v_head_dim") or head_dim,
        window=window,
        bias=bias,
        output_bias=bias if traits.output_bias is None else traits.output_bias,
        qk_norm="head" if text.flag("use_qk_norm") and traits.qk_norm is None else traits.qk_norm,
        sinks=traits.sinks,
    )


def _guessed(text: Section) -> Traits:
    """Traits of a family that is not known, from what its configuration shows."""
    return Traits(qk_norm="head" if text.flag("use_qk_norm", "qk_norm", "qk_layernorm") else None)
