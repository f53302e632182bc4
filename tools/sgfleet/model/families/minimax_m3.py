"""MiniMax-M3: grouped-query attention that reads chosen blocks, with an indexer in every sparse layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.model.families import decoder, fields
from sgfleet.model.layer import Attention, Indexer, Layer, Mlp

if TYPE_CHECKING:
    from sgfleet.model.config import Section

MODEL_TYPES = frozenset({"minimax_m3"})
ARCHITECTURES = frozenset({"MiniMaxM3SparseForCausalLM", "MiniMaxM3SparseForConditionalGeneration"})


def layers(text: Section, _model_type: str) -> tuple[Layer, ...]:
    """Dense blocks where moe_layer_freq has 0, experts elsewhere; sparse attention by a list of its own."""
    count = fields.layer_count(text)
    sparse = fields.sparse_layers(text, count)
    width = text.positive("intermediate_size")
    experts = fields.moe(text)._replace(
        intermediate_size=width,
        shared_intermediate_size=text.integer("n_shared_experts", default=0) * width,
    )
    dense = Mlp(text.positive("dense_intermediate_size", default=width))
    return tuple(
        Layer(attention(text, index, count), experts if is_sparse else dense) for index, is_sparse in enumerate(sparse)
    )


def attention(text: Section, index: int, count: int) -> Attention:
    """One layer's attention with its indexer, if it has one."""
    plain = decoder.attention(text, decoder.NORMED, None)
    chosen = text.section("sparse_attention_config")
    if chosen is None or not chosen.flag("use_sparse_attention", default=True):
        return plain
    if not chosen.each("sparse_attention_freq", count)[index]:
        return plain
    keys_only = bool(chosen.each("sparse_disable_index_value", count)[index])
    return plain._replace(
        indexer=Indexer(
            heads=chosen.positive("sparse_num_index_heads"),
            head_dim=chosen.positive("sparse_index_dim"),
            topk=chosen.positive("sparse_topk_blocks") * chosen.positive("sparse_block_size"),
            stores_values=not keys_only,
        ),
    )
