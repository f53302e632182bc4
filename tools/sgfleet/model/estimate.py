"""A shape -> the bytes of its weights, piece by piece, where no tensor headers say it.

Measured on the checkpoints whose size is known the estimate is within `ERROR`; what is not known about a quantised
checkpoint adds to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.model.inventory import COPY, FLOAT32, PLAIN, Block, layer_blocks
from sgfleet.model.piece import Piece

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgfleet.model.layer import Layer
    from sgfleet.model.piece import Place, Spread
    from sgfleet.model.shape import Draft, ModelShape, Storage, Vision

ERROR: Final = 0.03
"""Relative error of the bytes of a model whose family is known and whose quantisation is fully described."""
ERROR_BYTES: Final = 2**28
"""What a rank uses beside its weights while loading them; more than `ERROR` of a small model."""
UNKNOWN_FAMILY_ERROR: Final = 0.10
WIDENED_ERROR: Final = 0.20
"""FP4 experts in an FP8 checkpoint (DeepSeek V4): a release repacks them for the GPU, with scales up to four times as
wide.
"""
BYTES: Final = {"bfloat16": 2, "float16": 2, "float32": 4, "float64": 8}
"""Bytes of an unquantised weight on the GPU; releases load float32 checkpoints as 16-bit ones by default."""


def estimate(shape: ModelShape, *, quantised: frozenset[str] | None = None) -> tuple[Piece, ...]:
    """The weights of a model by rule.

    `quantised` overrides which of the parts that the checkpoint leaves open (`Quantisation.unsure`) count as
    quantised.
    """
    return tuple(_Estimate(shape, quantised).pieces())


def parameters(shape: ModelShape) -> int:
    """Number of weights that the checkpoint holds without the vision tower and MTP layers."""
    total = shape.vocab_size * shape.hidden_size * (1 if shape.tied_embeddings else 2)
    total += shape.vocab_size * shape.per_layer_embedding + shape.hidden_size
    return total + sum(
        block.elements
        for layer in shape.layers
        for block in layer_blocks(layer, shape.hidden_size, shape.residual_streams)
        if block.part != COPY
    )


class _Estimate:
    """One pass over a shape."""

    def __init__(self, shape: ModelShape, quantised: frozenset[str] | None) -> None:
        self.shape = shape
        self.width = min(2, BYTES.get(shape.dtype or "bfloat16", 2))
        self.storage = _storages(shape, quantised)

    def pieces(self) -> Iterator[Piece]:
        """Embedding, layers, head, tower and MTP layers, in this order."""
        shape = self.shape
        rows = shape.vocab_size
        yield Piece("first", "vocabulary", rows * shape.hidden_size * self.width, limit=rows)
        if shape.per_layer_embedding:
            yield Piece("first", "whole", rows * shape.per_layer_embedding * self.width)
        seen: dict[Layer, tuple[Piece, ...]] = {}
        for index, layer in enumerate(shape.layers):
            if layer not in seen:
                seen[layer] = tuple(self.layer("layer", layer))
            yield from (Piece("layer", piece.spread, piece.bytes, index, piece.limit) for piece in seen[layer])
        yield Piece("last", "whole", shape.hidden_size * self.width)
        head = Block("lm_head", "head", rows * shape.hidden_size, rows)
        if not shape.tied_embeddings:
            yield Piece("last", "head", self.bytes(head), limit=rows)
        if shape.vision is not None:
            yield from _tower(shape.vision, self.width)
        if shape.draft is not None:
            yield from self.draft(shape.draft)

    def layer(self, place: Place, layer: Layer) -> Iterator[Piece]:
        """The pieces of one layer, one for each way of spreading."""
        blocks = layer_blocks(layer, self.shape.hidden_size, self.shape.residual_streams)
        yield from _summed(place, ((block, self.bytes(block)) for block in blocks))

    def draft(self, draft: Draft) -> Iterator[Piece]:
        """The MTP layers; embedding and head are the model's own unless the checkpoint has others."""
        hidden, rows = self.shape.hidden_size, self.shape.vocab_size
        for layer in draft.layers:
            yield from self.layer("draft", layer)
        if draft.projection:
            yield Piece("draft", "whole", draft.depths * (2 * hidden * hidden + 3 * hidden) * self.width)
        if draft.own_embeddings:
            yield Piece("draft", "head", draft.depths * rows * hidden * self.width, limit=rows)

    def bytes(self, block: Block) -> int:
        """Bytes of a block as it is stored."""
        if block.part == FLOAT32:
            return 4 * block.elements
        storage = self.storage.get(block.part)
        if storage is None or block.part in (PLAIN, COPY):
            return self.width * block.elements
        return stored_bytes(block.elements, storage)


def stored_bytes(elements: int, storage: Storage) -> int:
    """Bytes of quantised weights with their scales."""
    bits = elements * storage.bits
    if storage.group_size:
        groups = -(-elements // storage.group_size)
        bits += groups * (storage.scale_bits + (storage.bits if storage.zero_points else 0))
    elif storage.block and all(storage.block):
        bits += -(-elements // (storage.block[0] * storage.block[1])) * storage.scale_bits
    return -(-bits // 8)


def _storages(shape: ModelShape, quantised: frozenset[str] | None) -> dict[str, Storage]:
    """How each part is stored."""
    quantisation = shape.quantisation
    if quantisation is None:
        return {}
    storages = dict(quantisation.parts)
    if quantised is None or not storages:
        return storages
    usual = next(iter(storages.values()))
    for part in quantisation.unsure:
        if part in quantised:
            storages.setdefault(part, usual)
        else:
            storages.pop(part, None)
    return storages


def _summed(place: Place, blocks: Iterable[tuple[Block, int]]) -> Iterator[Piece]:
    """One piece for each way of spreading."""
    sums: dict[tuple[Spread, int], int] = {}
    for block, size in blocks:
        key = (block.spread, block.limit)
        sums[key] = sums.get(key, 0) + size
    for (spread, limit), size in sums.items():
        yield Piece(place, spread, size, limit=limit)


def _tower(vision: Vision, width: int) -> Iterator[Piece]:
    """The vision tower: never quantised."""
    hidden = vision.hidden_size
    feed_forward = (3 if vision.gated else 2) * hidden * vision.intermediate_size + vision.intermediate_size
    attention = 4 * hidden * hidden + 9 * hidden
    yield Piece("vision", "vision", vision.layers * attention * width)
    yield Piece("vision", "whole" if vision.whole else "vision", vision.layers * feed_forward * width)
    yield Piece("vision", "whole", (vision.patch_elements + vision.projector_elements) * width)
