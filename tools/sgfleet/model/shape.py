"""A checkpoint's shape: everything about a model that decides memory, and nothing else.

The shape is what the checkpoint says, not what a release does with it. Whether a release keeps sliding layers in a
pool of their own, which KV type `auto` means, or whether it loads the MTP layers, is decided by whoever has the
release and the flags.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from sgfleet.model.layer import LatentAttention, Layer, LayerKind, Mixer, Moe


class Vision(NamedTuple):
    """The vision tower. `audio` says that an audio tower is in the checkpoint too; it is not described.

    `whole` is set where a release keeps the tower's feed-forward blocks on every rank although attention is divided
    (Kimi).

    `config_layers` and `config_hidden_size` are what a release's configuration class has under num_hidden_layers and
    hidden_size, the only names that it reads when it derives its default memory fraction: None where the checkpoint
    uses other names (depth, ...), and the release then takes its own defaults.
    """

    layers: int
    hidden_size: int
    heads: int
    intermediate_size: int
    gated: bool = False
    patch_elements: int = 0
    projector_elements: int = 0
    config_layers: int | None = None
    config_hidden_size: int | None = None
    whole: bool = False
    audio: bool = False


class Draft(NamedTuple):
    """Multi-token-prediction layers that lie in the same checkpoint; loaded only for speculative decoding.

    `projection` says that embedding and hidden state are joined by a matrix of 2 * hidden_size by hidden_size, once
    for each of `depths`.
    `own_embeddings` says that the checkpoint holds another embedding and head for them.
    """

    layers: tuple[Layer, ...]
    depths: int = 1
    projection: bool = True
    own_embeddings: bool = False


class Storage(NamedTuple):
    """How the weights of one part are stored.

    `format` is "fp8", "nvfp4", "mxfp4", "mxfp8", "int4", "int8"; `bits` is a weight's width, `scale_bits` a scale's.
    There is one scale for every `group_size` weights along the input, or for a tile of `block` (rows, columns), or,
    with neither, one for an output row or a tensor (next to nothing).
    `zero_points`: each group also has one of `bits` (AWQ, asymmetric GPTQ).
    """

    format: str
    bits: int
    scale_bits: int = 0
    group_size: int | None = None
    block: tuple[int, int] | None = None
    zero_points: bool = False


class Quantisation(NamedTuple):
    """How the checkpoint is quantised. `method` is its own word: "fp8", "modelopt", "compressed-tensors", "awq", ...

    `parts` says which parts of the model are stored how; a part that is not listed is in the model's own dtype. The
    parts are "attention" (the projections into it), "output" (the one out of it), "linear" (linear mixers), "dense",
    "shared", "experts", "lm_head"; norms, routers, embeddings and towers are never quantised.
    `kv_cache` is "fp8" where the checkpoint asks for such a KV cache (a release's `auto` may then mean it).
    `unsure` are the parts of which the checkpoint's description does not say whether they are quantised: `parts` has
    the usual answer, and a figure of bytes gets the difference as its error.
    """

    method: str
    parts: tuple[tuple[str, Storage], ...] = ()
    kv_cache: str | None = None
    unsure: tuple[str, ...] = ()

    def storage(self, part: str) -> Storage | None:
        """How a part is stored, None for the model's own dtype."""
        return dict(self.parts).get(part)


class Source(NamedTuple):
    """Where a shape or a figure comes from.

    `kind`: "headers" (safetensors headers of a local checkpoint: exact), "config" (a config.json), "facts"
    (schema/models of this repository).
    `name` is what a person looks for: `org/name`, or the folder or file. `match` is "exact", or "similar" where the
    model that was asked for (`asked`) is only believed to be this one; a similar match is always said.
    """

    kind: Literal["headers", "config", "facts"]
    name: str
    match: Literal["exact", "similar"] = "exact"
    asked: str | None = None


@dataclass(frozen=True)
class ModelShape:
    """A model as far as memory is concerned. Layers are in order, one object each, because a pipeline stage is a range.

    `architecture` is the first of the checkpoint's `architectures`; `text_model_type` differs from `model_type` where
    the language model is nested.
    `context_length` is what a release derives from the configuration before --context-length; None where unknown.
    `dtype` is the checkpoint's own ("bfloat16"); None where it does not say.
    `residual_streams` is the number of parallel residual streams (hyper-connections: DeepSeek V4 has 4).
    `per_layer_embedding` is the width of a second embedding table that feeds every layer (Gemma 3n and 4 E models),
    over all layers, 0 without.
    `embedding` says what a rank holds of the embedding: its part of the vocabulary, the whole of it, or the whole of
    it when dp-attention is on.
    `assumptions` are the things that the configuration does not say and that were filled in, in words for a person;
    empty for a known architecture.
    """

    architecture: str
    model_type: str
    text_model_type: str
    dtype: str | None
    context_length: int | None
    hidden_size: int
    vocab_size: int
    tied_embeddings: bool
    layers: tuple[Layer, ...]
    source: Source
    vision: Vision | None = None
    draft: Draft | None = None
    quantisation: Quantisation | None = None
    residual_streams: int = 1
    per_layer_embedding: int = 0
    embedding: Literal["divided", "whole", "whole-with-attention-dp"] = "divided"
    assumptions: tuple[str, ...] = ()

    @cached_property
    def counts(self) -> dict[LayerKind, int]:
        """Number of layers by kind, kinds that do not occur left out."""
        return dict(Counter(layer.kind for layer in self.layers))

    @cached_property
    def mixers(self) -> dict[Mixer, int]:
        """Every distinct mixer with the number of layers that have it, in order of first appearance."""
        return dict(Counter(layer.mixer for layer in self.layers if layer.mixer is not None))

    @property
    def is_latent(self) -> bool:
        """MLA, with or without DSA: the whole KV row is on every tensor-parallel rank."""
        return any(isinstance(layer.mixer, LatentAttention) for layer in self.layers)

    @property
    def has_state(self) -> bool:
        """Some layers keep a state for each request instead of KV rows."""
        return any(layer.state is not None for layer in self.layers)

    @property
    def is_moe(self) -> bool:
        """Some layers have routed experts."""
        return any(isinstance(layer.mlp, Moe) for layer in self.layers)
