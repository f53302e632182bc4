"""Weights by the size of a checkpoint on disk, where its headers were not read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.model.estimate import estimate

if TYPE_CHECKING:
    from sgfleet.model.parallel import WeightBytes
    from sgfleet.model.shape import ModelShape

ERROR: Final = 0.04
"""What the way of spreading leaves open once the sum is known: what every rank holds whole, what is not loaded."""
FARTHEST: Final = 0.35
"""Beyond this the folder holds something else than the model: its size is not used."""


def scaled(weights: WeightBytes, shape: ModelShape, disk_bytes: int) -> WeightBytes:
    """The estimate, made to add up to what the checkpoint takes on disk."""
    total = sum(piece.bytes for piece in estimate(shape))
    if weights.exact or not total or not disk_bytes:
        return weights
    factor = disk_bytes / total
    if abs(factor - 1) > FARTHEST:
        note = (
            f"the checkpoint takes {disk_bytes / 1e9:,.0f} GB on disk, and the model would take {total / 1e9:,.0f} GB"
        )
        return weights._replace(notes=(*weights.notes, note))
    stages = tuple(
        stage._replace(sharded=int(stage.sharded * factor), replicated=int(stage.replicated * factor))
        for stage in weights.stages
    )
    return weights._replace(stages=stages, draft=int(weights.draft * factor), error=ERROR)
