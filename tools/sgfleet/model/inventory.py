"""A model's weights by rule: which matrices a layer of each kind has, and how the releases divide them.

Elements, with the part of the model that decides how they are stored. Read off the model code of SGLang 0.5.9 and
0.5.23: column and row parallel layers are divided, ReplicatedLinear, norms and routers are whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.model.kv import conv_channels
from sgfleet.model.layer import Attention, CompressedAttention, LatentAttention, LinearAttention, Mlp, Moe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.model.layer import Indexer, Layer, Mixer
    from sgfleet.model.piece import Spread

PLAIN: Final = "plain"
"""Stored in the model's dtype whatever the quantisation."""
FLOAT32: Final = "float32"
COPY: Final = "copy"
"""Made by the releases while loading, 16 bits wide, and in no checkpoint: MLA's key and value projections apart beside
the stored matrix, a value projection where the checkpoint has none.
"""


class Block(NamedTuple):
    """Elements of one matrix, or of several that go the same way."""

    part: str
    spread: Spread
    elements: int
    limit: int = 0


def layer_blocks(layer: Layer, hidden: int, residual_streams: int) -> Iterator[Block]:
    """The weights of one layer."""
    if layer.mixer is not None:
        yield from mixer_blocks(layer.mixer, hidden)
        yield Block(PLAIN, "whole", hidden)
    if layer.beside is not None:
        yield from _linear(layer.beside, hidden)
    if layer.mlp is not None:
        yield from _feed_forward(layer.mlp, hidden)
        yield Block(PLAIN, "whole", hidden)
    if residual_streams > 1:
        mixes = (2 + residual_streams) * residual_streams
        yield Block(FLOAT32, "whole", 2 * (mixes * residual_streams * hidden + mixes + 3))


def mixer_blocks(mixer: Mixer, hidden: int) -> Iterator[Block]:
    """The weights of a mixer of any kind."""
    match mixer:
        case Attention():
            return _attention(mixer, hidden)
        case LatentAttention():
            return _latent(mixer, hidden)
        case CompressedAttention():
            return _compressed(mixer, hidden)
        case LinearAttention():
            return _linear(mixer, hidden)


def _attention(mixer: Attention, hidden: int) -> Iterator[Block]:
    queries = mixer.heads * mixer.head_dim
    gate = {"element": queries, "head": mixer.heads}.get(mixer.output_gate or "", 0)
    yield Block("attention", "attention", hidden * (queries + gate))
    rows = mixer.kv_heads * (mixer.head_dim + (0 if mixer.k_is_v else mixer.v_head_dim))
    yield Block("attention", "kv", hidden * rows, mixer.kv_heads)
    if mixer.k_is_v:
        yield Block(COPY, "kv", hidden * mixer.kv_heads * mixer.v_head_dim, mixer.kv_heads)
    yield Block("output", "attention", mixer.heads * mixer.v_head_dim * hidden)
    if mixer.bias:
        yield Block(PLAIN, "attention", queries + gate)
        yield Block(PLAIN, "kv", rows, mixer.kv_heads)
    if mixer.output_bias:
        yield Block(PLAIN, "whole", hidden)
    if mixer.sinks:
        yield Block(PLAIN, "attention", mixer.heads)
    if mixer.qk_norm == "head":
        yield Block(PLAIN, "whole", 2 * mixer.head_dim)
    elif mixer.qk_norm == "row":
        yield Block(PLAIN, "whole", queries + mixer.kv_heads * mixer.head_dim)
    if mixer.indexer is not None:
        yield from _block_indexer(mixer.indexer, hidden)


def _block_indexer(indexer: Indexer, hidden: int) -> Iterator[Block]:
    """MiniMax-M3's: query heads that are divided like attention, one key head, values where they are kept."""
    yield Block("attention", "attention", hidden * indexer.heads * indexer.head_dim)
    yield Block("attention", "whole", hidden * indexer.head_dim * (2 if indexer.stores_values else 1))
    yield Block(PLAIN, "whole", 2 * indexer.head_dim)
    if indexer.stores_values:
        yield Block("output", "attention", indexer.heads * indexer.head_dim * hidden)


def _latent(mixer: LatentAttention, hidden: int) -> Iterator[Block]:
    width = mixer.heads * (mixer.qk_nope_head_dim + mixer.qk_rope_head_dim)
    if mixer.q_lora_rank is None:
        yield Block("attention", "attention", hidden * width)
    else:
        yield Block("attention", "whole", hidden * mixer.q_lora_rank)
        yield Block("attention", "attention", mixer.q_lora_rank * width)
        yield Block(PLAIN, "whole", mixer.q_lora_rank)
    yield Block("attention", "whole", hidden * (mixer.kv_lora_rank + mixer.qk_rope_head_dim))
    yield Block(PLAIN, "whole", mixer.kv_lora_rank)
    up = mixer.kv_lora_rank * mixer.heads * (mixer.qk_nope_head_dim + mixer.v_head_dim)
    yield Block("attention", "attention", up)
    yield Block(COPY, "attention", up)
    if mixer.output_gate:
        yield Block("attention", "attention", hidden * mixer.heads * mixer.v_head_dim)
    yield Block("output", "attention", mixer.heads * mixer.v_head_dim * hidden)
    if mixer.indexer is not None and mixer.indexer.own:
        yield from _token_indexer(mixer.indexer, hidden, mixer.q_lora_rank or hidden)


def _token_indexer(indexer: Indexer, hidden: int, rank: int) -> Iterator[Block]:
    """DSA's: whole on every rank."""
    yield Block("attention", "whole", rank * indexer.heads * indexer.head_dim + hidden * indexer.head_dim)
    yield Block(PLAIN, "whole", hidden * indexer.heads + 2 * indexer.head_dim)


def _compressed(mixer: CompressedAttention, hidden: int) -> Iterator[Block]:
    width = mixer.heads * mixer.head_dim
    low = mixer.o_groups * mixer.o_lora_rank
    yield Block("attention", "whole", hidden * (mixer.q_lora_rank + mixer.head_dim))
    yield Block("attention", "attention", mixer.q_lora_rank * width)
    yield Block("output", "attention", width // max(1, mixer.o_groups) * low + low * hidden)
    yield Block(PLAIN, "whole", mixer.q_lora_rank + mixer.head_dim)
    yield Block(FLOAT32, "attention", mixer.heads)
    if mixer.ratio:
        yield from _compressor(mixer.head_dim, mixer.ratio, hidden)
    if mixer.indexer is not None:
        yield Block(PLAIN, "whole", mixer.q_lora_rank * mixer.indexer.heads * mixer.indexer.head_dim)
        yield Block(PLAIN, "whole", hidden * mixer.indexer.heads)
        yield from _compressor(mixer.indexer.head_dim, mixer.ratio, hidden)


def _compressor(head_dim: int, ratio: int, hidden: int) -> Iterator[Block]:
    """What makes one row of several; at ratio 4 the groups overlap, which doubles it."""
    wide = head_dim * (2 if ratio == 4 else 1)
    yield Block(PLAIN, "whole", hidden * 2 * wide)
    yield Block(FLOAT32, "whole", ratio * wide + head_dim)


def _linear(mixer: LinearAttention, hidden: int) -> Iterator[Block]:
    values, keys = mixer.v_heads * mixer.v_head_dim, mixer.k_heads * mixer.k_head_dim
    channels = conv_channels(mixer)
    if mixer.form == "shortconv":
        yield Block("linear", "attention", 3 * hidden * values + values * hidden)
    elif mixer.form == "mamba2":
        yield Block("linear", "attention", hidden * (values + channels + mixer.v_heads) + values * hidden)
        yield Block(PLAIN, "attention", 3 * mixer.v_heads + values)
    elif mixer.form == "gdn":
        yield Block("linear", "attention", hidden * (2 * keys + 2 * values) + values * hidden)
        yield Block(PLAIN, "attention", 2 * hidden * mixer.v_heads + 2 * mixer.v_heads + mixer.v_head_dim)
    elif mixer.form == "lightning":
        yield Block("linear", "attention", hidden * (2 * keys + 2 * values) + values * hidden)
    else:
        yield from _delta_with_gates(mixer, hidden)
    if mixer.conv_kernel > 1:
        yield Block(PLAIN, "attention", channels * (mixer.conv_kernel + int(mixer.conv_bias)))


def _delta_with_gates(mixer: LinearAttention, hidden: int) -> Iterator[Block]:
    """Kimi's: a forget gate of low rank, an output gate of low rank or (K3) of full rank, one beta a head."""
    values, keys = mixer.v_heads * mixer.v_head_dim, mixer.k_heads * mixer.k_head_dim
    yield Block("linear", "attention", hidden * (2 * keys + values) + values * hidden)
    low_gates = 1 if mixer.form == "kda-full-gate" else 2
    yield Block("linear", "whole", low_gates * hidden * mixer.k_head_dim)
    yield Block("linear", "attention", low_gates * mixer.k_head_dim * values)
    if mixer.form == "kda-full-gate":
        yield Block("linear", "attention", hidden * values)
    yield Block(PLAIN, "attention", hidden * mixer.v_heads)
    yield Block(FLOAT32, "attention", values + mixer.v_heads)


def _feed_forward(block: Mlp | Moe, hidden: int) -> Iterator[Block]:
    if isinstance(block, Mlp):
        yield Block("dense", "dense", _matrices(block.gated) * hidden * block.intermediate_size)
        if block.bias:
            yield Block(PLAIN, "dense", (_matrices(block.gated) - 1) * block.intermediate_size)
            yield Block(PLAIN, "whole", hidden)
        return
    width = block.latent_size or hidden
    one = _matrices(block.gated) * width * block.intermediate_size
    yield Block("experts", "experts", block.experts * one, block.experts)
    if block.bias:
        biases = (_matrices(block.gated) - 1) * block.intermediate_size + width
        yield Block(PLAIN, "experts", block.experts * biases, block.experts)
    yield Block(PLAIN, "whole", hidden * block.experts + (block.experts if block.router_bias or block.bias else 0))
    if block.shared_intermediate_size:
        yield Block("shared", "shared", _matrices(block.gated) * hidden * block.shared_intermediate_size)
    if block.shared_gate:
        yield Block(PLAIN, "whole", hidden)
    if block.latent_size:
        yield Block(PLAIN, "whole", 2 * hidden * block.latent_size)
    if block.dense is not None:
        yield from _feed_forward(block.dense, hidden)


def _matrices(gated: bool) -> int:
    return 3 if gated else 2
