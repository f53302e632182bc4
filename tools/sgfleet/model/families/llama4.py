"""Llama 4: chunked attention in three of four layers, experts with one shared expert of the same width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.model.families import decoder, fields
from sgfleet.model.layer import Layer, Mlp, Moe

if TYPE_CHECKING:
    from sgfleet.model.config import Section

MODEL_TYPES = frozenset({"llama4", "llama4_text"})
FULL_EVERY: Final = 4
"""The releases take every fourth layer as full, whatever the configuration lists."""


def layers(text: Section, _model_type: str) -> tuple[Layer, ...]:
    """Every nth layer has experts, the others a dense block with a width of its own."""
    count = fields.layer_count(text)
    chunk = text.positive("attention_chunk_size", default=8192)
    width = text.positive("intermediate_size")
    experts = Moe(
        experts=text.positive(*fields.EXPERTS),
        experts_per_token=text.positive(*fields.PER_TOKEN, default=1),
        intermediate_size=width,
        shared_intermediate_size=width,
    )
    dense = Mlp(text.positive("intermediate_size_mlp", default=width))
    every = text.integer("interleave_moe_layer_step", default=1)
    return tuple(
        Layer(
            decoder.attention(text, decoder.PLAIN, None if (index + 1) % FULL_EVERY == 0 else chunk),
            experts if every == 0 or (index + 1) % every == 0 else dense,
        )
        for index in range(count)
    )
