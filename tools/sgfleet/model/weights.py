"""Weights over ranks: what one rank of each pipeline stage holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.model.estimate import ERROR, ERROR_BYTES, UNKNOWN_FAMILY_ERROR, WIDENED_ERROR, estimate
from sgfleet.model.layer import LinearAttention
from sgfleet.model.parallel import StageBytes, WeightBytes, stage_ranges

if TYPE_CHECKING:
    from sgfleet.model.parallel import Parallel
    from sgfleet.model.piece import Piece
    from sgfleet.model.shape import ModelShape

VOCABULARY_PADDING: Final = 64
"""Rows of an embedding are padded to a multiple of this, and further where the ranks do not divide them."""


def weight_bytes(shape: ModelShape, parallel: Parallel, pieces: tuple[Piece, ...] | None = None) -> WeightBytes:
    """Weight bytes on a rank.

    `pieces` are those of the checkpoint's own headers where they are known; without them the bytes are estimated from
    the shape.
    """
    if pieces is not None:
        return _spread(shape, parallel, pieces, exact=True, error=0.0)
    usual = _spread(shape, parallel, estimate(shape), exact=False, error=0.0)
    return WeightBytes(
        stages=usual.stages,
        draft=usual.draft,
        exact=False,
        error=round(_base_error(shape, usual.largest) + _unsure_error(shape, parallel, usual.largest), 4),
        source=shape.source,
        notes=usual.notes,
    )


def ways(piece: Piece, shape: ModelShape, parallel: Parallel) -> float:
    """Into how many equal parts a piece is divided; the fraction 1 / ways of it is on a rank, padding apart."""
    match piece.spread:
        case "attention":
            return parallel.attention_tp
        case "kv":
            return min(parallel.attention_tp, piece.limit or parallel.attention_tp)
        case "dense":
            return parallel.dense_tp or parallel.tp
        case "shared":
            return 1 if parallel.experts_all_to_all else parallel.tp
        case "experts":
            return _expert_ways(piece, parallel)
        case "vocabulary":
            return _embedding_ways(shape, parallel)
        case "head":
            return parallel.attention_tp if parallel.lm_head_dp else parallel.tp
        case "vision":
            return 1 if parallel.vision_dp else parallel.attention_tp
        case "whole":
            return 1


def rank_bytes(piece: Piece, shape: ModelShape, parallel: Parallel) -> int:
    """Bytes of a piece on one rank, rounded up."""
    divided = ways(piece, shape, parallel)
    size = piece.bytes
    if piece.spread in ("vocabulary", "head") and piece.limit:
        size = -(-size // piece.limit) * padded_rows(piece.limit, int(divided))
    return int(-(-size // divided))


def padded_rows(rows: int, ranks: int) -> int:
    """Rows of a vocabulary after padding."""
    multiple = VOCABULARY_PADDING
    if -(-rows // multiple) * multiple % ranks:
        multiple *= ranks
    return -(-rows // multiple) * multiple


def _expert_ways(piece: Piece, parallel: Parallel) -> float:
    """Experts go whole to the expert-parallel groups (copies on top), then each is divided inside its group."""
    experts = piece.limit or parallel.ep
    local = -(-(experts + parallel.redundant_experts) // parallel.ep)
    return experts / local * (parallel.tp / parallel.ep)


def _embedding_ways(shape: ModelShape, parallel: Parallel) -> int:
    if shape.embedding == "whole" or (shape.embedding == "whole-with-attention-dp" and parallel.attention_dp > 1):
        return 1
    return parallel.attention_tp


def _spread(
    shape: ModelShape, parallel: Parallel, pieces: tuple[Piece, ...], *, exact: bool, error: float
) -> WeightBytes:
    ranges = stage_ranges(len(shape.layers), parallel)
    held = [[0, 0] for _ in ranges]
    draft = 0
    tied_apart = shape.tied_embeddings and parallel.pp > 1
    for piece in pieces:
        if piece.place == "vision" and parallel.language_only:
            continue
        size = rank_bytes(piece, shape, parallel)
        if piece.place == "draft":
            draft += size
            continue
        divided = ways(piece, shape, parallel) != 1
        for stage in _stages_of(piece, ranges, tied_apart=tied_apart):
            held[stage][0 if divided else 1] += size
    return WeightBytes(
        stages=tuple(
            StageBytes(sharded=sizes[0], replicated=sizes[1], first_layer=first, end_layer=end)
            for sizes, (first, end) in zip(held, ranges, strict=True)
        ),
        draft=draft,
        exact=exact,
        error=error,
        source=shape.source,
        notes=(*_notes(shape, parallel), *shape.assumptions),
    )


def _stages_of(piece: Piece, ranges: tuple[tuple[int, int], ...], *, tied_apart: bool) -> tuple[int, ...]:
    """The stages that hold a piece; a tied embedding is on the first and, as the head, on the last."""
    match piece.place:
        case "layer":
            return tuple(stage for stage, (first, end) in enumerate(ranges) if first <= piece.layer < end)
        case "last":
            return (len(ranges) - 1,)
        case "first" if tied_apart and piece.spread == "vocabulary":
            return (0, len(ranges) - 1)
        case _:
            return (0,)


def _base_error(shape: ModelShape, usual: int) -> float:
    if shape.assumptions:
        return UNKNOWN_FAMILY_ERROR
    return max(WIDENED_ERROR if _is_widened(shape) else ERROR, ERROR_BYTES / usual)


def _is_widened(shape: ModelShape) -> bool:
    quantisation = shape.quantisation
    experts = quantisation.storage("experts") if quantisation is not None else None
    return experts is not None and quantisation is not None and quantisation.method == "fp8" and experts.bits == 4


def _unsure_error(shape: ModelShape, parallel: Parallel, usual: int) -> float:
    """How far the bytes move when the parts that nothing is said about are all quantised, or none of them."""
    unsure = frozenset(shape.quantisation.unsure) if shape.quantisation is not None else frozenset()
    if not unsure:
        return 0.0
    ends = (
        _spread(shape, parallel, estimate(shape, quantised=parts), exact=False, error=0.0).largest
        for parts in (frozenset[str](), unsure)
    )
    return max(abs(end - usual) for end in ends) / usual


def _notes(shape: ModelShape, parallel: Parallel) -> tuple[str, ...]:
    """What a person should know: heads or experts that the ranks do not divide, parts nobody described."""
    notes = []
    if shape.quantisation is not None and shape.quantisation.unsure:
        parts = ", ".join(shape.quantisation.unsure)
        notes.append(f"the checkpoint's description does not say whether these parts are quantised: {parts}")
    if _is_widened(shape):
        notes.append("releases repack the FP4 experts of this checkpoint for the GPU, which can take a fifth more")
    if shape.vision is not None and shape.vision.audio:
        notes.append("the audio tower is not counted")
    notes += [undivided_words(count, parallel.attention_tp) for count in undivided(shape, parallel.attention_tp)]
    return tuple(notes)


def undivided(shape: ModelShape, ranks: int) -> list[int]:
    """The numbers of attention heads that leave a rest among the ranks of a group: no release loads such a model."""
    heads = sorted({mixer.heads for mixer in shape.mixers if not isinstance(mixer, LinearAttention)})
    return [count for count in heads if count % ranks]


def undivided_words(heads: int, ranks: int) -> str:
    """The same in words."""
    return f"{heads} attention heads do not divide by {ranks} ranks"
