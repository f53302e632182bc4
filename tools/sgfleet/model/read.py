"""A configuration -> a model's shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from sgfleet.model.draft import read_draft
from sgfleet.model.families import (
    compressed,
    decoder,
    delta,
    fields,
    gemma4,
    kimi_linear,
    latent,
    lightning,
    llama4,
    mamba,
    mimo_v2,
    minimax_m3,
    nas,
    step3,
)
from sgfleet.model.quantisation import read_quantisation
from sgfleet.model.shape import ModelShape, Source
from sgfleet.model.vision import read_vision

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgfleet.model.config import Config, Section
    from sgfleet.model.layer import Layer

FAMILIES: Final = (
    compressed,
    delta,
    gemma4,
    kimi_linear,
    latent,
    lightning,
    llama4,
    mamba,
    mimo_v2,
    minimax_m3,
    nas,
    step3,
)
LONGCAT: Final = frozenset({"longcat_flash", "longcat"})
CONTEXT: Final = ("max_sequence_length", "seq_length", "max_seq_len", "model_max_length", "max_position_embeddings")
"""Where the releases look for the context length, in this order."""
WHOLE_EMBEDDING: Final = ("gemma3", "gemma4")
WHOLE_WITH_DP: Final = ("bailing", "exaone_moe", "qwen3_5", "deepseek_v4", "deepseek_ref", "step3p", "sarvam")
DTYPES: Final = frozenset({"bfloat16", "float16", "float32", "float64"})


def read_shape(config: Config, source: Source) -> ModelShape:
    """The shape that a configuration describes.

    Raises:
        ModelError: A field that the family needs is missing or is not what it should be.
    """
    text = config.text
    reader, known = _reader(config)
    layers = reader(text, config.text_model_type)
    assumptions = () if known else (_assumption(config, layers),)
    hidden = fields.hidden_size(text)
    return ModelShape(
        architecture=config.architecture,
        model_type=config.model_type,
        text_model_type=config.text_model_type,
        dtype=_dtype(config),
        context_length=_context_length(text),
        hidden_size=hidden,
        vocab_size=text.positive("vocab_size", "padded_vocab_size"),
        tied_embeddings=_tied(config),
        layers=layers,
        source=source,
        vision=read_vision(config),
        draft=read_draft(text, config.text_model_type, layers),
        quantisation=read_quantisation(config, layers),
        residual_streams=text.positive("hc_mult", "hc_count", default=1),
        per_layer_embedding=len(layers) * text.integer("hidden_size_per_layer_input", default=0),
        embedding=_embedding(config.text_model_type),
        assumptions=assumptions,
    )


def _reader(config: Config) -> tuple[Callable[[Section, str], tuple[Layer, ...]], bool]:
    """The family that reads these layers, and whether the checkpoint is known to be of it."""
    kind = config.text_model_type
    for family in FAMILIES:
        if kind in family.MODEL_TYPES:
            return family.layers, True
    if kind in LONGCAT:
        return latent.longcat_layers, True
    if config.architecture in minimax_m3.ARCHITECTURES:
        return minimax_m3.layers, True
    if kind in decoder.TRAITS:
        return decoder.layers, True
    if config.text.has("kv_lora_rank", "qk_nope_head_dim"):
        return latent.layers, False
    if config.text.has("linear_num_value_heads"):
        return delta.layers, False
    return decoder.layers, False


def _assumption(config: Config, layers: tuple[Layer, ...]) -> str:
    kinds = ", ".join(sorted({layer.kind for layer in layers}))
    name = config.text_model_type or config.architecture
    return f"{name} is not a family that this tool knows; its layers ({kinds}) were read by the common names"


def _dtype(config: Config) -> str | None:
    for section in (config.text, config.top):
        word = section.word("dtype", "torch_dtype")
        if word is not None and word.removeprefix("torch.") in DTYPES:
            return word.removeprefix("torch.")
    return None


def _context_length(text: Section) -> int | None:
    """The context length as the releases derive it: a plain rope factor multiplies it, yarn's and llama3's do not."""
    found = text.maybe(*CONTEXT)
    rope: dict[str, Any] = scaling if isinstance(scaling := text.find("rope_scaling")[1], dict) else {}
    factor = rope.get("factor", 1)
    extends = "original_max_position_embeddings" not in rope and rope.get("rope_type") != "llama3"
    if found is None or not extends or not isinstance(factor, int | float) or not 0 < factor < 10**6:
        return found
    return int(factor * found)


def _tied(config: Config) -> bool:
    """Whether the head is the embedding; families that leave it out have defaults of their own."""
    traits = decoder.TRAITS.get(config.text_model_type)
    default = traits.tied if traits is not None else config.text_model_type in gemma4.MODEL_TYPES
    return config.top.flag("tie_word_embeddings", default=config.text.flag("tie_word_embeddings", default=default))


def _embedding(model_type: str) -> Literal["divided", "whole", "whole-with-attention-dp"]:
    if model_type.startswith(WHOLE_EMBEDDING):
        return "whole"
    return "whole-with-attention-dp" if model_type.startswith(WHOLE_WITH_DP) else "divided"
