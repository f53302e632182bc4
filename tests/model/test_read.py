"""Shapes of public checkpoints, held to what their configurations say, counted by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from model import samples
from sgfleet.model import store
from sgfleet.model.layer import Attention, CompressedAttention, Indexer, LatentAttention, LinearAttention, Mlp, Moe

COUNTS = {
    "meta-llama--Meta-Llama-3.1-70B": {"full": 80},
    "moonshotai--Kimi-K2.5": {"latent": 61},
    "deepseek-ai--DeepSeek-V3.2": {"sparse-latent": 61},
    "deepseek-ai--DeepSeek-V4-Pro": {"compressed": 61},
    "Qwen--Qwen3.5-397B-A17B": {"linear": 45, "full": 15},
    "google--gemma-4-26B-A4B": {"sliding": 25, "full": 5},
    "meta-llama--Llama-4-Maverick-17B-128E-Instruct": {"sliding": 36, "full": 12},
    "openai--gpt-oss-20b": {"sliding": 12, "full": 12},
    "XiaomiMiMo--MiMo-V2-Flash": {"sliding": 39, "full": 9},
    "moonshotai--Kimi-K3": {"linear": 69, "latent": 24},
    "nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4": {"linear": 40, "none": 40, "full": 8},
    "nvidia--Llama-3_3-Nemotron-Super-49B-v1": {"full": 49, "none": 31},
    "stepfun-ai--Step-3.7-Flash": {"sliding": 33, "full": 12},
    "MiniMaxAI--MiniMax-M3": {"full": 60},
}


@pytest.mark.parametrize("name", COUNTS)
def test_layers_by_kind(name: str) -> None:
    assert samples.shape(name).counts == COUNTS[name]


@pytest.mark.parametrize("name", samples.NAMES)
def test_a_known_family_needs_no_assumption(name: str) -> None:
    assert samples.shape(name).assumptions == ()


def test_kimi_k2_5() -> None:
    shape = samples.shape("moonshotai--Kimi-K2.5")
    latent = LatentAttention(
        heads=64, q_lora_rank=1536, kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128
    )
    assert shape.layers[0].mixer == shape.layers[60].mixer == latent
    assert shape.layers[0].mlp == Mlp(18432)
    assert shape.layers[1].mlp == Moe(384, 8, 2048, shared_intermediate_size=2048, router_bias=True)
    assert (shape.architecture, shape.text_model_type) == ("KimiK25ForConditionalGeneration", "kimi_k2")
    assert (shape.context_length, shape.vocab_size, shape.dtype) == (262144, 163840, "bfloat16")
    assert shape.vision is not None
    assert (shape.vision.layers, shape.vision.hidden_size) == (27, 1152)
    # The release's configuration class also answers to the common names, so its memory fraction sees these figures.
    assert (shape.vision.config_layers, shape.vision.config_hidden_size) == (27, 1152)
    assert shape.draft is None


def test_a_tower_under_other_names_is_seen_in_part_by_the_memory_fraction() -> None:
    vision = samples.shape("Qwen--Qwen3.5-397B-A17B").vision
    assert vision is not None
    assert (vision.layers, vision.config_layers, vision.config_hidden_size) == (27, None, 1152)


def test_deepseek_sparse_attention() -> None:
    mixer = samples.shape("deepseek-ai--DeepSeek-V3.2").layers[0].mixer
    assert isinstance(mixer, LatentAttention)
    assert mixer.indexer == Indexer(heads=64, head_dim=128, topk=2048)


def test_glm_5_2_shares_choices_between_layers() -> None:
    shape = samples.shape("zai-org--GLM-5.2-FP8")
    own = [isinstance(layer.mixer, LatentAttention) and layer.mixer.indexer.own for layer in shape.layers]
    assert own[:8] == [True, True, True, False, False, False, True, False]
    assert sum(own) == 21
    assert shape.draft is not None
    draft = shape.draft.layers[0].mixer
    assert isinstance(draft, LatentAttention)
    assert draft.indexer is not None
    assert draft.indexer.own


@pytest.mark.parametrize(
    ("fields", "own"),
    [
        ({"index_topk_freq": 4}, [0, 1, 5, 9]),
        ({"index_topk_freq": 4, "index_skip_topk_offset": 3}, [0, 1, 2, 6, 10]),
        ({"index_topk_pattern": "FSFS"}, [0, 2, 4, 5, 6, 7, 8, 9, 10]),
        ({"cli_factor": 3}, [0, 3, 6, 9]),
        ({}, list(range(11))),
    ],
)
def test_the_ways_of_saying_which_layers_choose(fields: dict[str, object], own: list[int]) -> None:
    config = {**samples.values("deepseek-ai--DeepSeek-V3.2"), "num_hidden_layers": 11, **fields}
    layers = samples.made(config).layers
    assert [index for index, layer in enumerate(layers) if layer.mixer.indexer.own] == own


def test_deepseek_v4() -> None:
    shape = samples.shape("deepseek-ai--DeepSeek-V4-Pro")
    mixers = [layer.mixer for layer in shape.layers]
    assert [mixer.ratio for mixer in mixers if isinstance(mixer, CompressedAttention)][:4] == [128, 128, 4, 128]
    assert [mixer.indexer is not None for mixer in mixers[:4]] == [False, False, True, False]
    assert shape.residual_streams == 4
    assert shape.draft is not None
    assert shape.draft.layers[0].mixer.ratio == 0
    assert shape.embedding == "whole-with-attention-dp"


def test_qwen3_5_states_and_rows() -> None:
    shape = samples.shape("Qwen--Qwen3.5-397B-A17B")
    assert [layer.kind for layer in shape.layers[:4]] == ["linear", "linear", "linear", "full"]
    assert shape.layers[0].mixer == LinearAttention(
        form="gdn", k_heads=16, v_heads=64, k_head_dim=128, v_head_dim=128, conv_kernel=4, state_dtype="float32"
    )
    assert shape.layers[3].mixer == Attention(32, 2, 256, 256, output_gate="element", qk_norm="head")
    assert shape.layers[0].mlp == Moe(512, 10, 1024, shared_intermediate_size=1024, shared_gate=True)
    assert shape.draft is not None
    assert [layer.kind for layer in shape.draft.layers] == ["full"]
    assert shape.has_state
    assert shape.is_moe
    assert not shape.is_latent


def test_gemma_4_has_other_heads_in_full_layers() -> None:
    shape = samples.shape("google--gemma-4-26B-A4B")
    sliding, full = shape.layers[0].mixer, shape.layers[5].mixer
    assert isinstance(sliding, Attention)
    assert isinstance(full, Attention)
    assert (sliding.kv_heads, sliding.head_dim, sliding.window, sliding.k_is_v) == (8, 256, 1024, False)
    assert (full.kv_heads, full.head_dim, full.window, full.k_is_v) == (2, 512, None, True)
    assert shape.layers[0].mlp == Moe(128, 8, 704, dense=Mlp(2112))
    assert (shape.tied_embeddings, shape.embedding) == (True, "whole")


def test_gemma_4_layers_that_share_rows_store_none() -> None:
    config = samples.values("google--gemma-4-26B-A4B")
    config["text_config"] |= {"num_kv_shared_layers": 20, "use_double_wide_mlp": True, "enable_moe_block": False}
    layers = samples.made(config).layers
    assert [layer.mixer.shares_kv for layer in layers] == [False] * 10 + [True] * 20
    assert (layers[9].mlp, layers[10].mlp) == (Mlp(2112), Mlp(4224))


def test_llama_4_has_experts_in_every_other_layer() -> None:
    shape = samples.shape("meta-llama--Llama-4-Maverick-17B-128E-Instruct")
    assert (shape.layers[0].mlp, shape.layers[1].mlp) == (Mlp(16384), Moe(128, 1, 8192, shared_intermediate_size=8192))
    assert [layer.mixer.window for layer in shape.layers[:4]] == [8192, 8192, 8192, None]


def test_mimo_v2_has_narrower_values_and_other_kv_heads_in_sliding_layers() -> None:
    shape = samples.shape("XiaomiMiMo--MiMo-V2-Flash")
    full, sliding = shape.layers[0].mixer, shape.layers[1].mixer
    assert isinstance(full, Attention)
    assert (full.kv_heads, full.head_dim, full.v_head_dim, full.sinks) == (4, 192, 128, False)
    assert sliding == full._replace(kv_heads=8, window=128, sinks=True)
    assert isinstance(shape.layers[0].mlp, Mlp)


def test_minimax_m3_indexes_all_but_the_first_layers() -> None:
    shape = samples.shape("MiniMaxAI--MiniMax-M3")
    assert [layer.mixer.indexer is None for layer in shape.layers[:4]] == [True, True, True, False]
    assert shape.layers[3].mixer.indexer == Indexer(heads=4, head_dim=128, topk=16 * 128)
    assert (shape.layers[0].mlp, shape.layers[3].mlp) == (
        Mlp(12288),
        Moe(128, 4, 3072, shared_intermediate_size=3072, router_bias=True),
    )


def test_nemotron_h_layers_are_one_block_each() -> None:
    shape = samples.shape("nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4")
    assert [layer.kind for layer in shape.layers[:9]] == [*["linear", "none"] * 3, "linear", "full", "none"]
    assert shape.layers[0].mlp is None
    assert shape.layers[1].mlp == Moe(
        512, 22, 2688, shared_intermediate_size=5376, gated=False, router_bias=True, latent_size=1024
    )
    assert shape.layers[0].mixer == LinearAttention("mamba2", 8, 128, 128, 64, 4, None, conv_bias=True)
    assert shape.draft is not None
    assert [layer.kind for layer in shape.draft.layers] == ["full", "none"]


def test_pruned_llama_takes_each_layer_as_it_is() -> None:
    shape = samples.shape("nvidia--Llama-3_3-Nemotron-Super-49B-v1")
    assert shape.layers[0].mixer == Attention(64, 8, 128, 128)
    assert [layer.mixer is None for layer in shape.layers[5:9]] == [False, True, True, False]
    # int(2 * 5.25 * 8192 / 3) = 28672, and int(2 * 2.625 * 8192 / 3) = 14336: both multiples of 256 already.
    assert (shape.layers[0].mlp, shape.layers[1].mlp) == (Mlp(14336), Mlp(28672))


def test_kimi_k3_gates_and_latent_experts() -> None:
    shape = samples.shape("moonshotai--Kimi-K3")
    assert shape.layers[0].mixer == LinearAttention("kda-full-gate", 96, 96, 128, 128, 4)
    assert [layer.kind for layer in shape.layers[-3:]] == ["linear", "latent", "latent"]
    assert isinstance(shape.layers[3].mixer, LatentAttention)
    assert shape.layers[3].mixer.output_gate
    assert shape.layers[1].mlp == Moe(896, 16, 3072, 6144, router_bias=True, latent_size=3584)


def test_falcon_h1_has_rows_and_a_state_in_one_layer() -> None:
    config = {
        **samples.SMALL_LLAMA,
        "model_type": "falcon_h1",
        "mamba_n_heads": 4,
        "mamba_d_head": 16,
        "mamba_d_state": 8,
        "mamba_n_groups": 1,
    }
    shape = samples.made(config)
    assert shape.counts == {"full": 3}
    assert shape.has_state
    assert shape.layers[0].state == LinearAttention("mamba2", 1, 4, 8, 16, 4, conv_bias=True)


def test_longcat_is_two_attentions_a_layer() -> None:
    config = {
        **samples.values("deepseek-ai--DeepSeek-V3"),
        "model_type": "longcat_flash",
        "num_layers": 4,
        "expert_ffn_hidden_size": 512,
        "ffn_hidden_size": 3072,
        "num_nextn_predict_layers": 0,
    }
    del config["num_hidden_layers"]
    shape = samples.made(config)
    assert len(shape.layers) == 8
    assert [isinstance(layer.mlp, Moe) for layer in shape.layers[:2]] == [True, False]


def test_an_unknown_family_is_read_like_llama_and_says_so() -> None:
    shape = samples.made({**samples.SMALL_LLAMA, "model_type": "future_llama", "architectures": ["FutureForCausalLM"]})
    assert shape.layers == samples.made(samples.SMALL_LLAMA).layers
    assert len(shape.assumptions) == 1
    assert "future_llama" in shape.assumptions[0]


def test_an_unknown_family_with_latent_fields_is_latent() -> None:
    config = {**samples.values("deepseek-ai--DeepSeek-V3"), "model_type": "future_moe"}
    assert samples.made(config).counts == {"latent": 61}


@pytest.mark.parametrize(
    ("fields", "length"),
    [
        ({}, 512),
        ({"rope_scaling": {"rope_type": "linear", "factor": 4.0}}, 2048),
        ({"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 128}}, 512),
        ({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, 512),
        ({"max_sequence_length": 64}, 64),
        ({"rope_scaling": "nonsense"}, 512),
        ({"max_position_embeddings": None}, None),
    ],
)
def test_context_length_is_what_a_release_derives(fields: dict[str, object], length: int | None) -> None:
    assert samples.made({**samples.SMALL_LLAMA, **fields}).context_length == length


@pytest.mark.parametrize(
    ("fields", "windows"),
    [
        ({"sliding_window": 32}, [32, 32, 32]),
        ({"sliding_window": 32, "use_sliding_window": False}, [None, None, None]),
        ({"sliding_window": 32, "max_window_layers": 2}, [None, None, 32]),
        ({"sliding_window": 32, "sliding_window_pattern": 2}, [32, None, 32]),
        ({"sliding_window": 32, "sliding_window_pattern": "LLG"}, [32, 32, None]),
        (
            {"sliding_window": 32, "layer_types": ["full_attention", "sliding_attention", "full_attention"]},
            [None, 32, None],
        ),
    ],
)
def test_the_ways_of_saying_which_layers_slide(fields: dict[str, object], windows: list[int | None]) -> None:
    layers = samples.made({**samples.SMALL_LLAMA, **fields}).layers
    assert [layer.mixer.window for layer in layers] == windows


@pytest.mark.parametrize(
    ("fields", "sparse"),
    [
        ({}, [True, True, True]),
        ({"decoder_sparse_step": 2}, [False, True, False]),
        ({"mlp_only_layers": [1]}, [True, False, True]),
        ({"first_k_dense_replace": 2, "decoder_sparse_step": None}, [False, False, True]),
        ({"moe_layer_freq": [0, 1, 0]}, [False, True, False]),
        ({"mlp_layer_types": ["dense", "sparse", "sparse"]}, [False, True, True]),
        ({"moe_layers_enum": "0,2"}, [True, False, True]),
        ({"num_experts": 0}, [False, False, False]),
    ],
)
def test_the_ways_of_saying_which_layers_have_experts(fields: dict[str, object], sparse: list[bool]) -> None:
    layers = samples.made({**samples.SMALL_MOE, **fields}).layers
    assert [isinstance(layer.mlp, Moe) for layer in layers] == sparse


@pytest.mark.parametrize("name", samples.NAMES)
def test_the_committed_facts_are_what_the_configuration_gives(name: str) -> None:
    path = store.files()[name]
    committed = store.read(path).shape
    fresh = samples.shape(name)
    assert replace(committed, source=fresh.source) == fresh
