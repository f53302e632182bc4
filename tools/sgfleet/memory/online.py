"""Weights that a release quantises while it loads them: --quantization fp8 on a checkpoint that is not quantised."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sgfleet.model.shape import Quantisation, Storage
from sgfleet.model.weights import weight_bytes

if TYPE_CHECKING:
    from sgfleet.model.find import Found
    from sgfleet.model.parallel import Parallel, WeightBytes

LINEAR_PARTS: Final = ("attention", "output", "linear", "dense", "shared", "experts")
"""What the linear methods of these quantisations take hold of; embeddings, head, norms and towers stay as they are."""
METHODS: Final = {"fp8": Storage("fp8", 8), "mxfp8": Storage("mxfp8", 8, scale_bits=8, group_size=32)}
"""The methods that work without a quantised checkpoint and whose bytes are known."""


def loaded_weights(found: Found, parallel: Parallel, quantization: str | None) -> WeightBytes:
    """Weights on a rank as the release holds them."""
    if quantization is None or found.shape.quantisation is not None:
        return found.weights(parallel)
    storage = METHODS.get(quantization)
    if storage is None:
        weights = found.weights(parallel)
        note = f"not counted: what --quantization {quantization} makes of weights that are not quantised"
        return weights._replace(notes=(*weights.notes, note))
    parts = tuple((part, storage) for part in LINEAR_PARTS)
    return weight_bytes(replace(found.shape, quantisation=Quantisation(quantization, parts)), parallel)
