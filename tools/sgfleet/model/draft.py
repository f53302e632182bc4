"""The MTP layers that lie in a checkpoint beside the model's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.model.families import compressed, decoder, delta, fields, mamba, mimo_v2, step3
from sgfleet.model.layer import Attention, LatentAttention, Layer
from sgfleet.model.shape import Draft

if TYPE_CHECKING:
    from sgfleet.model.config import Section

COUNT: Final = ("num_nextn_predict_layers", "mtp_num_hidden_layers")
WITHOUT: Final = frozenset({"minimax_m2", "minimax_m3", "minimax_m3_vl", "kimi_linear"})
"""Families whose configuration counts MTP layers that no release loads from the checkpoint."""
DENSE: Final = frozenset({"mimo", "mimo_v2", "mimo_v2_flash", "step3p5", "step3p7", "longcat_flash"})
"""Families whose MTP layers have a dense block although the model's own are sparse."""


def read_draft(text: Section, model_type: str, layers: tuple[Layer, ...]) -> Draft | None:
    """The MTP layers, None where the checkpoint has none.

    Most are one more layer like the model's last; the families that differ are told apart here.
    """
    count = fields.draft_layer_count(text, *COUNT)
    if count == 0 or model_type in WITHOUT or not layers:
        return None
    if model_type in mamba.MODEL_TYPES:
        kinds = mamba.block_types(text, draft=True)
        made = {
            "attention": Layer(decoder.attention(text, decoder.PLAIN, None), None),
            "moe": Layer(None, mamba.nemotron_moe(text)) if "moe" in kinds else None,
        }
        block = tuple(layer for layer in map(made.get, kinds) if layer is not None)
        return Draft(block * count, depths=count)
    return Draft(
        (_layer(text, model_type, layers[-1]),) * count, depths=count, own_embeddings=model_type in step3.MODEL_TYPES
    )


def _layer(text: Section, model_type: str, last: Layer) -> Layer:
    """One MTP layer."""
    if model_type in compressed.MODEL_TYPES:
        ratios = text.integers("compress_ratios")
        return last._replace(mixer=compressed.attention(text, ratios[-1]))
    if model_type in delta.MODEL_TYPES:
        return last._replace(mixer=delta.attention(text))
    if model_type in mimo_v2.MODEL_TYPES:
        return Layer(mimo_v2.attention(text, sliding=True), fields.mlp(text))
    if model_type in step3.MODEL_TYPES:
        return Layer(step3.attention(text, text.maybe("sliding_window")), fields.mlp(text))
    mixer = last.mixer
    if isinstance(mixer, LatentAttention) and mixer.indexer is not None:
        mixer = mixer._replace(indexer=mixer.indexer._replace(own=True))
    if isinstance(mixer, Attention):
        mixer = mixer._replace(window=None)
    return Layer(mixer, fields.mlp(text) if model_type in DENSE else last.mlp)
