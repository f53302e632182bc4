"""A tensor's name -> how the releases spread it.

Checkpoints name their tensors after the modules of their own model code; the same few words stand for the same kinds
of layers in nearly all of them. A name that says nothing counts as whole on every rank, which errs on the safe side,
and is reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sgfleet.model.layer import Attention, Moe

if TYPE_CHECKING:
    from sgfleet.model.layer import Layer
    from sgfleet.model.piece import Place, Spread

LAYER: Final = re.compile(r"(?:^|\.)(?:layers|h|blocks|layer|block)\.(\d{1,6})\.")
TOWER: Final = frozenset({
    "audio_encoder", "audio_model", "audio_tower", "embed_audio", "embed_vision", "image_newline", "mlp1",
    "mm_projector", "multi_modal_projector", "patch_merge_mlp", "patch_merger", "vision_adapter", "vision_embedder",
    "vision_encoder", "vision_language_adapter", "vision_model", "vision_projection", "vision_tower", "visual", "vit",
    "vit_large_projector",
})  # fmt: skip
DRAFT: Final = frozenset({"mtp", "mtp_layers", "nextn", "mtp_block", "model_mtp"})
EMBEDDING: Final = (
    "embed_tokens",
    "wte",
    "tok_embeddings",
    "word_embeddings",
    "embedding",
    "embeddings",
    "embed_in",
    "embed",
)
POSITIONS: Final = ("wpe", "embed_positions", "position_embeddings")
HEAD: Final = ("lm_head", "embed_out", "output", "head")
ROUTER: Final = re.compile(
    r"\.(gate|router|wg|tid2eid|shared_expert_gate)(\.(weight|bias|scale|per_expert_scale|e_score_correction_bias))?$|correction_bias$|expert_bias$|router\."
)
NORM: Final = re.compile(r"norm|(^|\.)ln_|layer_?scalar|_scale_?param|hc_|q_a_ln|kv_a_ln")
WHOLE: Final = re.compile(
    r"\.(q_a_proj|kv_a_proj_with_mqa|kv_a_proj|wq_a|wkv|wkv_a|f_a_proj|g_a_proj|fc\d_latent_proj|"
    r"latent_proj|per_layer_\w+)(\.|$)|\.(indexer|compressor)\.|_res_proj|(^|\.)(ape|attn_sink_scale)$"
)
KV: Final = re.compile(r"\.(k_proj|v_proj|wk|wv|key|value|k_scale|v_scale)(\.|$)")
FUSED: Final = re.compile(r"\.(qkv_proj|Wqkv|c_attn|query_key_value|W_pack|wqkv|attn_qkv)(\.|$)")
EXPERTS: Final = re.compile(r"\.experts?\.|\.experts$|_experts_|\.moe\.(gate|up|down)_proj")
SHARED: Final = re.compile(r"\.(shared_experts?|share_expert|shared_mlp)\.")
MIXER: Final = re.compile(r"\.(self_attn|attention|attn|self_attention|linear_attn|mixer|mamba|conv|temporal_block)\.")
FEED_FORWARD: Final = re.compile(r"\.(mlps?|feed_forward|ffn|block_sparse_moe|moe|mixer)\.")


@dataclass(frozen=True, slots=True)
class Named:
    """What a name says; `fused` marks queries, keys and values in one matrix: part of it is spread as KV heads are."""

    place: Place
    spread: Spread
    layer: int = 0
    limit: int = 0
    fused: bool = False
    known: bool = True


def classify(name: str, layers: tuple[Layer, ...], rows: int) -> Named:
    """Where a tensor belongs and how it is spread; `rows` is the size of the vocabulary."""
    components = name.split(".")
    if not TOWER.isdisjoint(components):
        return Named("vision", "vision")
    found = LAYER.search(name)
    index = int(found.group(1)) if found is not None else None
    if not DRAFT.isdisjoint(components) or (index is not None and index >= len(layers)):
        return _draft(name, components, layers, rows)
    if index is None:
        return _outside(name, components, rows)
    return _inside(name, "layer", index, layers[index])


def _outside(name: str, components: list[str], rows: int) -> Named:
    """Embedding, head and the last norm."""
    owner = components[-2] if len(components) > 1 else components[0]
    if "per_layer" in name:
        return Named("first", "whole")
    if owner in HEAD or components[-1] in HEAD:
        return Named("last", "head", limit=rows)
    if owner in EMBEDDING or components[-1] in EMBEDDING:
        return Named("first", "vocabulary", limit=rows)
    if owner in POSITIONS:
        return Named("first", "whole")
    return Named("last", "whole", known=NORM.search(name) is not None)


def _draft(name: str, components: list[str], layers: tuple[Layer, ...], rows: int) -> Named:
    """MTP layers look like the model's last; what they share with the model is not counted as theirs."""
    owner = components[-2] if len(components) > 1 else ""
    if owner in (*EMBEDDING, "shared_head", *HEAD) and "norm" not in name:
        return Named("draft", "head", limit=rows)
    return _inside(name, "draft", 0, layers[-1]) if layers else Named("draft", "whole")


def _inside(name: str, place: Place, index: int, layer: Layer) -> Named:
    """A tensor of a layer."""
    if ROUTER.search(name) and "gate_proj" not in name:
        return Named(place, "whole", index)
    if SHARED.search(name):
        return Named(place, "shared", index)
    if EXPERTS.search(name):
        return Named(place, "experts", index, limit=layer.mlp.experts if isinstance(layer.mlp, Moe) else 0)
    if NORM.search(name) or WHOLE.search(name):
        return Named(place, "whole", index)
    if MIXER.search(name) and not (layer.mixer is None and layer.beside is None):
        return _in_mixer(name, place, index, layer)
    if FEED_FORWARD.search(name):
        return Named(place, "dense", index)
    return Named(place, "whole", index, known=place == "draft")


def _in_mixer(name: str, place: Place, index: int, layer: Layer) -> Named:
    mixer = layer.mixer
    if isinstance(mixer, Attention):
        if FUSED.search(name):
            return Named(place, "attention", index, limit=mixer.kv_heads, fused=True)
        if KV.search(name):
            return Named(place, "kv", index, limit=mixer.kv_heads)
    return Named(place, "attention", index)
