"""Tensor headers -> the bytes of a model's weights, piece by piece."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sgfleet.model.inventory import COPY, mixer_blocks
from sgfleet.model.layer import Attention
from sgfleet.model.names import Named, classify
from sgfleet.model.piece import Piece

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgfleet.model.headers import Tensor
    from sgfleet.model.layer import Layer
    from sgfleet.model.piece import Place, Spread
    from sgfleet.model.shape import ModelShape

COPY_BYTES = 2


@dataclass(frozen=True)
class Exact:
    """The pieces, and what the headers hold that no rule knows: counted as whole on every rank."""

    pieces: tuple[Piece, ...]
    unknown_tensors: int
    unknown_bytes: int


def exact_pieces(shape: ModelShape, tensors: Iterable[Tensor]) -> Exact:
    """Sum a checkpoint's tensors by how they are spread, and add what the releases make of them while loading."""
    sums: dict[tuple[Place, Spread, int, int], int] = defaultdict(int)
    unknown = unknown_bytes = 0
    for tensor in tensors:
        named = classify(tensor.name, shape.layers, shape.vocab_size)
        if _is_shared(named, shape):
            continue
        if not named.known:
            unknown, unknown_bytes = unknown + 1, unknown_bytes + tensor.bytes
        for spread, limit, size in _parts(named, _held_bytes(tensor, shape), shape):
            sums[named.place, spread, named.layer, limit] += size
    stored = [Piece(place, spread, size, layer, limit) for (place, spread, layer, limit), size in sums.items()]
    return Exact((*sorted(stored, key=_order), *_copies(shape.layers, shape.hidden_size)), unknown, unknown_bytes)


def _is_shared(named: Named, shape: ModelShape) -> bool:
    """What the checkpoint stores twice and a release keeps once: a tied head, the MTP layers' embedding and head."""
    if named.spread != "head":
        return False
    if named.place == "draft":
        return shape.draft is None or not shape.draft.own_embeddings
    return shape.tied_embeddings


def _held_bytes(tensor: Tensor, shape: ModelShape) -> int:
    """Bytes of a tensor once it is loaded: releases make 16-bit weights of a float32 checkpoint by default."""
    return tensor.bytes // 2 if tensor.dtype == "F32" and shape.dtype == "float32" else tensor.bytes


def _parts(named: Named, size: int, shape: ModelShape) -> Iterator[tuple[Spread, int, int]]:
    """A fused matrix is divided in two: the queries' part and that of the keys and values."""
    layer = shape.layers[named.layer] if named.place == "layer" else None
    mixer = layer.mixer if layer is not None else None
    if not named.fused or not isinstance(mixer, Attention):
        yield named.spread, named.limit, size
        return
    queries = mixer.heads * mixer.head_dim
    rows = mixer.kv_heads * (mixer.head_dim + mixer.v_head_dim)
    keys = size * rows // (queries + rows)
    yield "attention", 0, size - keys
    yield "kv", mixer.kv_heads, keys


def _copies(layers: tuple[Layer, ...], hidden: int) -> Iterator[Piece]:
    for index, layer in enumerate(layers):
        for block in mixer_blocks(layer.mixer, hidden) if layer.mixer is not None else ():
            if block.part == COPY:
                yield Piece("layer", block.spread, COPY_BYTES * block.elements, index, block.limit)


def _order(piece: Piece) -> tuple[int, int, str, int]:
    return (("first", "layer", "last", "vision", "draft").index(piece.place), piece.layer, piece.spread, piece.limit)
