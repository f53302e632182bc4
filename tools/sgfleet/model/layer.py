"""One decoder layer: a mixer, which owns KV rows or a state, and a feed-forward block.

Sizes are elements, whole (before any sharding), as the checkpoint says.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

LayerKind = Literal["full", "sliding", "latent", "sparse-latent", "compressed", "linear", "none"]
"""A mixer in one word; the last is a layer without one."""


class Indexer(NamedTuple):
    """The small attention that picks what sparse attention reads; its keys are stored beside the KV rows.

    One key of `head_dim` elements a token, whatever the number of query heads (`heads`). DSA stores keys as FP8 with
    one float32 scale for every 128 elements; MiniMax-M3 stores them in the model's type (`stores_values` adds as much
    again).
    `own` is False on a layer that takes the choice of an earlier one (GLM-5.2's "shared" layers): it has no indexer
    weights and, on releases that know this, no index keys.
    """

    heads: int
    head_dim: int
    topk: int
    own: bool = True
    stores_values: bool = False


class Attention(NamedTuple):
    """Multi-head, grouped-query or multi-query attention; a KV row is kv_heads * (head_dim + v_head_dim) elements.

    `window` is the number of tokens that a sliding (or chunked) layer sees, None for a layer that sees all.
    `shares_kv` is set where the layer reads an earlier layer's KV rows and stores none of its own (Gemma 3n and 4).
    `k_is_v` is set where there is no value projection; the pool holds K and V all the same.
    `output_gate` is a gate on what comes out of attention: "element" (as wide as the queries) or "head" (one value a
    head).
    `qk_norm` is the norm on queries and keys: "head" (one weight of head_dim each), "row" (one weight as wide as all
    heads) or None.
    """

    heads: int
    kv_heads: int
    head_dim: int
    v_head_dim: int
    window: int | None = None
    bias: bool = False
    output_bias: bool = False
    output_gate: str | None = None
    qk_norm: str | None = None
    sinks: bool = False
    k_is_v: bool = False
    shares_kv: bool = False
    indexer: Indexer | None = None


class LatentAttention(NamedTuple):
    """MLA; a KV row is kv_lora_rank + qk_rope_head_dim elements, whole on every tensor-parallel rank.

    `q_lora_rank` is None where queries have no down-projection. With an `indexer` it is DSA (DeepSeek V3.2, GLM-5).
    """

    heads: int
    q_lora_rank: int | None
    kv_lora_rank: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int
    v_head_dim: int
    output_gate: bool = False
    indexer: Indexer | None = None


class CompressedAttention(NamedTuple):
    """DeepSeek V4: one latent row of head_dim elements for each `ratio` tokens, beside a window of uncompressed rows.

    `ratio` 0 keeps the window alone. Every tensor-parallel rank holds the rows whole. The indexer belongs to layers
    of ratio 4.
    """

    heads: int
    head_dim: int
    rope_head_dim: int
    q_lora_rank: int
    o_lora_rank: int
    o_groups: int
    ratio: int
    window: int
    indexer: Indexer | None = None


class LinearAttention(NamedTuple):
    """A layer with a state of fixed size for each request instead of KV rows.

    `form`: "gdn" (gated delta net: Qwen3-Next, Qwen3.5), "kda" (Kimi Linear, Kimi K3), "mamba2" (Nemotron-H,
    Falcon-H1, Granite), "lightning" (Ring-Linear), "shortconv" (LFM2: a convolution without a recurrent state). The
    recurrent state is v_heads * v_head_dim * k_head_dim elements of `state_dtype`; the convolution keeps conv_kernel
    - 1 columns of the channels that pass through it. In mamba's words `k_heads` are the groups, `k_head_dim` is the
    state size.
    `state_dtype` is None where the checkpoint does not say (releases then take float32).
    """

    form: str
    k_heads: int
    v_heads: int
    k_head_dim: int
    v_head_dim: int
    conv_kernel: int
    state_dtype: str | None = None
    bias: bool = False
    conv_bias: bool = False


Mixer = Attention | LatentAttention | CompressedAttention | LinearAttention


class Mlp(NamedTuple):
    """A dense feed-forward block; `gated` ones have three matrices, others two."""

    intermediate_size: int
    gated: bool = True
    bias: bool = False


class Moe(NamedTuple):
    """Routed experts, with what stands beside them.

    `intermediate_size` is one routed expert's. `shared_intermediate_size` is that of all shared experts together (0:
    none), `shared_gate` says that they have a gate of their own.
    `dense` is a dense block that runs beside the experts (Gemma 4).
    `latent_size` is the width that routed experts work in where it is not hidden_size (Nemotron 3 Super, Kimi K3):
    two projections lead there and back.
    `router_bias` is a correction bias of one element an expert.
    """

    experts: int
    experts_per_token: int
    intermediate_size: int
    shared_intermediate_size: int = 0
    shared_gate: bool = False
    gated: bool = True
    bias: bool = False
    router_bias: bool = False
    latent_size: int | None = None
    dense: Mlp | None = None


class Layer(NamedTuple):
    """One decoder layer; where a layer is only a mixer or only a feed-forward block (Nemotron-H), the other is None.

    `beside` is a linear mixer that runs beside the attention of the same layer (Falcon-H1): such a layer has KV rows
    and a state.
    """

    mixer: Mixer | None
    mlp: Mlp | Moe | None
    beside: LinearAttention | None = None

    @property
    def state(self) -> LinearAttention | None:
        """The linear mixer of the layer, alone or beside attention; None where it keeps no state."""
        return self.mixer if isinstance(self.mixer, LinearAttention) else self.beside

    @property
    def kind(self) -> LayerKind:
        """What the layers of a model are counted by."""
        match self.mixer:
            case None:
                return "none"
            case Attention(window=None):
                return "full"
            case Attention():
                return "sliding"
            case LatentAttention(indexer=None):
                return "latent"
            case LatentAttention():
                return "sparse-latent"
            case CompressedAttention():
                return "compressed"
            case LinearAttention():
                return "linear"
