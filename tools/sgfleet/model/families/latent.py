"""Models with multi-head latent attention: DeepSeek V2 to V3.2, Kimi K2, GLM-5, LongCat-Flash, MiniCPM3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.model.families import fields
from sgfleet.model.layer import Attention, Indexer, LatentAttention, Layer, Moe

if TYPE_CHECKING:
    from sgfleet.model.config import Section

MODEL_TYPES = frozenset({
    "deepseek_v2",
    "deepseek_v3",
    "deepseek_v32",
    "glm4_moe_lite",
    "glm_moe_dsa",
    "kimi_k2",
    "minicpm3",
    "sarvam_mla",
})  # fmt: skip


def layers(text: Section, model_type: str) -> tuple[Layer, ...]:
    """Latent attention in every layer, experts after the first dense ones."""
    count = fields.layer_count(text)
    sparse = fields.sparse_layers(text, count)
    dense = None if all(sparse) else fields.mlp(text)
    experts = fields.moe(text) if any(sparse) else None
    return tuple(
        Layer(attention(text, model_type, index), experts if sparse[index] else dense) for index in range(count)
    )


def attention(text: Section, _model_type: str, index: int) -> LatentAttention | Attention:
    """One layer's latent attention; DeepSeek-VL2 can switch it off (`use_mla` false) and is then plain."""
    heads = text.positive(*fields.HEADS)
    if text.find("use_mla")[1] is False:
        head_dim = fields.hidden_size(text) // heads
        return Attention(heads=heads, kv_heads=fields.kv_heads(text, heads), head_dim=head_dim, v_head_dim=head_dim)
    return LatentAttention(
        heads=heads,
        q_lora_rank=text.maybe("q_lora_rank") or None,
        kv_lora_rank=text.positive("kv_lora_rank"),
        qk_nope_head_dim=text.positive("qk_nope_head_dim"),
        qk_rope_head_dim=text.integer("qk_rope_head_dim"),
        v_head_dim=text.positive("v_head_dim", default=fields.hidden_size(text) // heads),
        output_gate=text.flag("mla_use_output_gate"),
        indexer=indexer(text, index),
    )


def indexer(text: Section, index: int) -> Indexer | None:
    """The indexer of DeepSeek sparse attention, None for a model without."""
    if not text.has("index_topk") or not text.has("index_head_dim"):
        return None
    return Indexer(
        heads=text.positive("index_n_heads"),
        head_dim=text.positive("index_head_dim"),
        topk=text.positive("index_topk"),
        own=not takes_earlier_choice(text, index),
    )


def takes_earlier_choice(text: Section, index: int) -> bool:
    """Whether a layer reuses an earlier layer's choice of tokens: a list, a pattern or a frequency says so."""
    types = text.words("indexer_types")
    if types:
        return index < len(types) and types[index] == "shared"
    pattern = text.word("index_topk_pattern")
    if pattern is not None:
        return index < len(pattern) and pattern[index] == "S"
    every = text.maybe("cli_factor")
    if every is not None and every > 1:
        return index % every != 0
    frequency = text.positive("index_topk_freq", default=1)
    offset = text.positive("index_skip_topk_offset", default=2)
    return max(index - offset + 1, 0) % frequency != 0


def longcat_layers(text: Section, model_type: str) -> tuple[Layer, ...]:
    """LongCat-Flash: each of its layers is two attentions with a dense block each, and experts beside the first."""
    count = fields.layer_count(text)
    dense = fields.mlp(text)
    routed = fields.moe(text)
    first = Moe(
        experts=routed.experts,
        experts_per_token=routed.experts_per_token,
        intermediate_size=text.positive("expert_ffn_hidden_size", "moe_intermediate_size"),
        router_bias=True,
        dense=dense,
    )
    pair = (first, dense)
    return tuple(Layer(attention(text, model_type, index // 2), pair[index % 2]) for index in range(2 * count))
