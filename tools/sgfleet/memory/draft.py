"""The draft of speculative decoding as far as memory is concerned: its layers and its weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sgfleet.memory.units import GIB

if TYPE_CHECKING:
    from sgfleet.memory.settings import Settings
    from sgfleet.model.layer import Mixer
    from sgfleet.model.parallel import WeightBytes
    from sgfleet.model.shape import ModelShape

UNKNOWN_WEIGHTS_BYTES: Final = 2 * GIB
"""What an unknown draft of one layer is counted with, on a rank; its error is as large."""


@dataclass(frozen=True, slots=True)
class DraftLayers:
    """`count` layers with KV rows. `mixers` is empty where the draft's checkpoint is not known: like the target's then.

    `weight_bytes` on a rank, with its error in bytes. `notes` say what was assumed. `shape` is that of a checkpoint of
    its own.
    """

    count: int
    mixers: tuple[Mixer, ...] = ()
    weight_bytes: int = 0
    error_bytes: int = 0
    notes: tuple[str, ...] = ()
    shape: ModelShape | None = None


def draft_layers(
    settings: Settings,
    target: ModelShape,
    weights: WeightBytes,
    draft: tuple[ModelShape, WeightBytes] | None = None,
) -> DraftLayers | None:
    """The draft that a service loads; None without one.

    `draft` is the shape and the weights of --speculative-draft-model-path where they are known.
    """
    asked = settings.speculative
    if asked is None or not asked.has_draft_model:
        return None
    if draft is not None and asked.draft_path != settings.model_path:
        shape, own = draft
        mixers = tuple(layer.mixer for layer in shape.layers if layer.mixer is not None)
        return DraftLayers(len(mixers), mixers, own.largest, int(own.largest * own.error), shape=shape)
    if asked.draft_path in (None, settings.model_path) and target.draft is not None:
        mixers = tuple(layer.mixer for layer in target.draft.layers if layer.mixer is not None)
        return DraftLayers(len(mixers), mixers, weights.draft, int(weights.draft * weights.error))
    what = asked.draft_path or "the draft"
    size = UNKNOWN_WEIGHTS_BYTES // GIB
    note = f"{what} is not known: counted as one layer like the target's, with {size} GiB of weights"
    return DraftLayers(1, (), UNKNOWN_WEIGHTS_BYTES, UNKNOWN_WEIGHTS_BYTES, (note,))
