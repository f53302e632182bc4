"""The vision tower of a multimodal checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.model.shape import Vision

if TYPE_CHECKING:
    from sgfleet.model.config import Config, Section

LAYERS: Final = ("num_hidden_layers", "depth", "vt_num_hidden_layers", "layers", "num_layers")
HIDDEN: Final = ("hidden_size", "vt_hidden_size", "embed_dim", "width")
HEADS: Final = ("num_attention_heads", "num_heads", "vt_num_attention_heads", "heads")
WIDTH: Final = ("intermediate_size", "vt_intermediate_size")
KIMI: Final = frozenset({"kimi_k25", "kimi_k3"})
"""Checkpoints whose own names a release's configuration class also answers to under the common ones."""
WHOLE: Final = frozenset({"kimi_k25", "kimi_k3", "kimi_vl"})
GATED: Final = frozenset({"qwen2_5_vl", "pixtral", "gemma4_vision", "gemma4"})
AUDIO: Final = ("audio_config", "audio_encoder_config", "audio_tower_config")


def read_vision(config: Config) -> Vision | None:
    """The vision tower, None for a text model (or a tower of which nothing is said)."""
    section = config.top.section("vision_config", "vision_encoder_config", "vit_config")
    thinker = config.top.section("thinker_config")
    if section is None and thinker is not None:
        section = thinker.section("vision_config")
    if section is None or not section.has(*LAYERS) or not section.has(*HIDDEN):
        return None
    hidden = section.positive(*HIDDEN)
    named_as_usual = config.model_type not in KIMI
    return Vision(
        layers=section.positive(*LAYERS),
        hidden_size=hidden,
        heads=section.positive(*HEADS, default=1),
        intermediate_size=_width(section, hidden),
        gated=(section.word("model_type") or config.model_type) in GATED or config.model_type in GATED,
        patch_elements=_embeddings(section, hidden),
        projector_elements=_projector(section, hidden, config.text),
        config_layers=section.maybe("num_hidden_layers" if named_as_usual else "vt_num_hidden_layers"),
        config_hidden_size=section.maybe("hidden_size" if named_as_usual else "vt_hidden_size"),
        whole=config.model_type in WHOLE,
        audio=config.top.has(*AUDIO) or (thinker is not None and thinker.has(*AUDIO)),
    )


def _width(section: Section, hidden: int) -> int:
    ratio = section.find("mlp_ratio")[1]
    default = int(ratio * hidden) if isinstance(ratio, int | float) and 0 < ratio < 100 else 4 * hidden
    return section.positive(*WIDTH, default=default)


def _embeddings(section: Section, hidden: int) -> int:
    """Patch projection and position table, in elements."""
    patch = section.positive("patch_size", default=14)
    channels = section.positive("in_channels", "in_chans", "num_channels", default=3)
    positions = section.integer("num_position_embeddings", "position_embedding_size", default=0)
    if not positions:
        positions = section.integer("init_pos_emb_height", default=0) * section.integer("init_pos_emb_width", default=0)
    frames = section.positive("temporal_patch_size", default=1)
    return hidden * (channels * frames * patch * patch + positions)


def _projector(section: Section, hidden: int, text: Section) -> int:
    """The two matrices from merged patches to the language model's width, and as many for each DeepStack layer."""
    width = text.positive("hidden_size")
    merged = hidden * _merged_patches(section)
    if merged == hidden:
        return hidden * width
    out = section.maybe("out_hidden_size", "text_hidden_size") or width
    deep = section.find("deepstack_visual_indexes")[1]
    mergers = 1 + (len(deep) if isinstance(deep, list) else 0)
    return mergers * (merged * merged + merged * out)


def _merged_patches(section: Section) -> int:
    """How many patches become one token."""
    if section.has("merge_kernel_size") and isinstance(section.values["merge_kernel_size"], list):
        sides = section.integers("merge_kernel_size")
        return max(1, sides[0] * sides[-1]) if sides else 1
    side = section.positive("spatial_merge_size", default=1)
    return side * side
