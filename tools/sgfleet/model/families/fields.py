"""The names under which configurations write the same thing, and the patterns by which they say which layer is what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.model.layer import Mlp, Moe

if TYPE_CHECKING:
    from sgfleet.model.config import Section

HIDDEN: Final = ("hidden_size", "n_embd", "d_model")
LAYERS: Final = ("num_hidden_layers", "n_layer", "num_layers", "n_layers")
HEADS: Final = ("num_attention_heads", "n_head", "n_heads", "num_heads")
KV_HEADS: Final = ("n_head_kv", "num_kv_heads", "num_key_value_heads", "multi_query_group_num", "num_attention_groups")
INTERMEDIATE: Final = ("intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim")
EXPERTS: Final = ("num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts")
PER_TOKEN: Final = (
    "num_experts_per_tok",
    "num_experts_per_token",
    "top_k_experts",
    "moe_topk",
    "moe_top_k",
    "moe_k",
    "experts_per_token",
)
EXPERT_WIDTH: Final = ("moe_intermediate_size", "expert_ffn_hidden_size", "moe_ffn_hidden_size")
MOST_LAYERS: Final = 4096


def hidden_size(text: Section) -> int:
    """Width of the residual stream."""
    return text.positive(*HIDDEN)


def layer_count(text: Section) -> int:
    """Number of decoder layers; a list with an entry for each stands in where the number is missing."""
    types = text.words("layers_block_type", "layer_types")
    count = text.positive(*LAYERS, default=len(types) or None)
    return _no_more_than_any(text, count, "layers")


def draft_layer_count(text: Section, *names: str) -> int:
    """Number of MTP layers, 0 where nothing says that there are any."""
    return _no_more_than_any(text, text.integer(*names, default=0), "MTP layers")


def _no_more_than_any(text: Section, count: int, what: str) -> int:
    """The count: what has an entry for each is built from it."""
    if count > MOST_LAYERS:
        raise text.problem(f"has {count} {what}, more than any model")
    return count


def kv_heads(text: Section, heads: int) -> int:
    """KV heads, in the order in which the releases look for them."""
    if text.flag("multi_query") and not text.flag("new_decoder_architecture"):
        return 1
    return text.positive(*KV_HEADS, default=heads)


def windows(text: Section, layers: int) -> tuple[int | None, ...]:
    """The window of each layer in tokens, None for a layer that sees everything."""
    window = text.maybe("sliding_window", "sliding_window_size", "attention_chunk_size")
    if not window or text.find("use_sliding_window")[1] is False:
        return (None,) * layers
    types = text.words("layer_types")
    if types:
        types = text.per_layer("layer_types", types, layers)
        return tuple(window if "sliding" in kind or "chunked" in kind else None for kind in types)
    pattern = text.find("sliding_window_pattern", "_sliding_window_pattern")[1]
    if isinstance(pattern, str) and pattern:
        return tuple(window if pattern[index % len(pattern)] == "L" else None for index in range(layers))
    if isinstance(pattern, int) and pattern > 0:
        return tuple(window if (index + 1) % pattern else None for index in range(layers))
    first = text.maybe("max_window_layers")
    return tuple(window if first is None or index >= first else None for index in range(layers))


def sparse_layers(text: Section, layers: int) -> tuple[bool, ...]:
    """Which layers have routed experts: False for all where the configuration has none."""
    if not text.maybe(*EXPERTS):
        return (False,) * layers
    kinds = text.words("mlp_layer_types")
    if kinds:
        return tuple(kind == "sparse" for kind in text.per_layer("mlp_layer_types", kinds, layers))
    listed = _listed(text)
    if listed is not None:
        return tuple(index in listed for index in range(layers))
    frequency = text.find("moe_layer_freq")[1]
    if isinstance(frequency, list):
        return tuple(value != 0 for value in text.each("moe_layer_freq", layers))
    return tuple(_by_step(text, index, layers) for index in range(layers))


def _listed(text: Section) -> frozenset[int] | None:
    """The sparse layers where the configuration lists them."""
    enumerated = text.word("moe_layers_enum")
    if enumerated is not None:
        return frozenset(int(part) for part in enumerated.split(",") if part.strip().isdigit())
    if text.find("moe_layers")[1]:
        return frozenset(text.integers("moe_layers"))
    return None


def _by_step(text: Section, index: int, layers: int) -> bool:
    """Whether a layer is sparse by "first k dense, then every nth"."""
    if index in text.integers("mlp_only_layers"):
        return False
    first_dense = text.integer("first_k_dense_replace", "num_dense_layers", "moe_layer_start_index", default=0)
    if index < first_dense or index > text.integer("moe_layer_end_index", default=layers):
        return False
    every = text.maybe("interleave_moe_layer_step", "decoder_sparse_step", "moe_layer_interval", "moe_every_n_layers")
    if every:
        return (index + 1) % every == 0
    return index % text.positive("moe_layer_freq", default=1) == 0


def moe(text: Section, *, gated: bool = True, bias: bool = False, shared_gate: bool = False) -> Moe:
    """The sparse block of a model that has one kind of it."""
    width = text.positive(*EXPERT_WIDTH, *INTERMEDIATE)
    count = text.maybe("n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert") or 0
    shared = text.maybe(
        "shared_expert_intermediate_size",
        "moe_shared_expert_intermediate_size",
        "share_expert_dim",
        "shared_intermediate_size",
    )
    return Moe(
        experts=text.positive(*EXPERTS),
        experts_per_token=text.positive(*PER_TOKEN, default=1),
        intermediate_size=width,
        shared_intermediate_size=count * width if shared is None else shared,
        shared_gate=shared_gate,
        gated=gated,
        bias=bias,
        router_bias=text.flag("use_routing_bias", "use_moe_router_bias") or text.word("topk_method") == "noaux_tc",
    )


def mlp(text: Section, *, gated: bool = True, bias: bool = False) -> Mlp:
    """The dense block; GPT-2 and its kin leave its width to be four times the hidden size."""
    wide = 4 * hidden_size(text) if text.has("n_embd") else None
    width = text.positive("dense_intermediate_size", *INTERMEDIATE, default=wide)
    return Mlp(width, gated=gated, bias=text.flag("mlp_bias", default=bias))
