"""Hybrids with Mamba-2 layers: Nemotron-H, Granite 4, Falcon-H1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.model.families import decoder, fields
from sgfleet.model.layer import Layer, LinearAttention, Mlp, Moe

if TYPE_CHECKING:
    from sgfleet.model.config import Section

MODEL_TYPES = frozenset({"nemotron_h", "granitemoehybrid", "falcon_h1"})
LETTERS: Final = {"M": "mamba", "E": "moe", "*": "attention", "-": "mlp"}


def layers(text: Section, model_type: str) -> tuple[Layer, ...]:
    """The layers of any of the three."""
    if model_type == "nemotron_h":
        return tuple(_nemotron_layer(text, kind) for kind in block_types(text))
    if model_type == "falcon_h1":
        parallel = Layer(decoder.attention(text, decoder.PLAIN, None), fields.mlp(text), beside=state_space(text))
        return (parallel,) * fields.layer_count(text)
    return _granite_layers(text)


def block_types(text: Section, *, draft: bool = False) -> tuple[str, ...]:
    """What each layer of Nemotron-H is, from the list or from the pattern of letters that older checkpoints have."""
    listed = text.words("mtp_layers_block_type" if draft else "layers_block_type")
    if listed:
        return listed
    name = "mtp_hybrid_override_pattern" if draft else "hybrid_override_pattern"
    pattern = text.word(name)
    if pattern is None:
        raise text.problem(f"has no layers_block_type or {name}")
    if set(pattern) - LETTERS.keys():
        raise text.problem(f"has a {name} with letters other than {' '.join(LETTERS)}")
    return tuple(LETTERS[letter] for letter in pattern)


def nemotron_moe(text: Section) -> Moe:
    """Nemotron's experts have two matrices; in the larger models they work in a narrower space."""
    common = fields.moe(text, gated=False)
    return Moe(
        experts=common.experts,
        experts_per_token=common.experts_per_token,
        intermediate_size=common.intermediate_size,
        shared_intermediate_size=common.shared_intermediate_size if text.maybe("n_shared_experts") else 0,
        gated=False,
        router_bias=True,
        latent_size=text.maybe("moe_latent_size") or None,
    )


def _nemotron_layer(text: Section, kind: str) -> Layer:
    match kind:
        case "mamba":
            return Layer(state_space(text), None)
        case "attention":
            return Layer(decoder.attention(text, decoder.PLAIN, None), None)
        case "moe":
            return Layer(None, nemotron_moe(text))
        case "mlp":
            return Layer(None, Mlp(text.positive("intermediate_size"), gated=False, bias=text.flag("mlp_bias")))
        case _:
            raise text.problem(f"has a layers_block_type that is not known, {kind!a}")


def _granite_layers(text: Section) -> tuple[Layer, ...]:
    count = fields.layer_count(text)
    types = text.per_layer("layer_types", text.words("layer_types"), count)
    shared = text.integer("shared_intermediate_size", default=0)
    if text.maybe(*fields.EXPERTS):
        block: Moe | Mlp = Moe(
            experts=text.positive(*fields.EXPERTS),
            experts_per_token=text.positive(*fields.PER_TOKEN),
            intermediate_size=text.positive("intermediate_size"),
            shared_intermediate_size=shared,
        )
    else:
        block = Mlp(shared or text.positive("intermediate_size"))
    return tuple(
        Layer(state_space(text) if "mamba" in kind else decoder.attention(text, decoder.PLAIN, None), block)
        for kind in types
    )


def state_space(text: Section) -> LinearAttention:
    """A Mamba-2 mixer under any of the three families' names."""
    heads = text.positive("mamba_num_heads", "mamba_n_heads")
    wide = text.positive("mamba_expand", "expand", default=2) * fields.hidden_size(text)
    return LinearAttention(
        form="mamba2",
        k_heads=text.positive("n_groups", "mamba_n_groups", default=1),
        v_heads=heads,
        k_head_dim=text.positive("ssm_state_size", "mamba_d_state"),
        v_head_dim=text.positive("mamba_head_dim", "mamba_d_head", default=wide // heads),
        conv_kernel=text.positive("conv_kernel", "mamba_d_conv", default=4),
        state_dtype=text.word("mamba_ssm_dtype"),
        bias=text.flag("use_bias", "mamba_proj_bias"),
        conv_bias=text.flag("use_conv_bias", "mamba_conv_bias", default=True),
    )
