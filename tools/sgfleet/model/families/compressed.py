"""DeepSeek V4: one shared latent head, compressed 4 or 128 to 1, beside a sliding window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.model.families import fields
from sgfleet.model.layer import CompressedAttention, Indexer, Layer

if TYPE_CHECKING:
    from sgfleet.model.config import Section

MODEL_TYPES = frozenset({"deepseek_v4", "deepseek_ref"})
INDEXED_RATIO = 4


def layers(text: Section, _model_type: str) -> tuple[Layer, ...]:
    """Every layer has experts; the ratio of each is listed, MTP layers after the others."""
    count = fields.layer_count(text)
    ratios = text.per_layer("compress_ratios", text.integers("compress_ratios"), count)
    experts = fields.moe(text)
    return tuple(Layer(attention(text, ratio), experts) for ratio in ratios)


def attention(text: Section, ratio: int) -> CompressedAttention:
    """One layer's attention; only layers of ratio 4 choose what they read."""
    return CompressedAttention(
        heads=text.positive(*fields.HEADS),
        head_dim=text.positive("head_dim"),
        rope_head_dim=text.positive("qk_rope_head_dim"),
        q_lora_rank=text.positive("q_lora_rank"),
        o_lora_rank=text.positive("o_lora_rank"),
        o_groups=text.positive("o_groups"),
        ratio=ratio,
        window=text.positive("sliding_window"),
        indexer=Indexer(
            heads=text.positive("index_n_heads"),
            head_dim=text.positive("index_head_dim"),
            topk=text.positive("index_topk"),
        )
        if ratio == INDEXED_RATIO
        else None,
    )
