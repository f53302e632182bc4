"""Tensor names of many families, each with where it belongs and how it is spread."""

from __future__ import annotations

import pytest

from model import samples
from sgfleet.model.names import classify

NAMES = {
    "meta-llama--Meta-Llama-3.1-70B": {
        "model.embed_tokens.weight": ("first", "vocabulary"),
        "model.norm.weight": ("last", "whole"),
        "lm_head.weight": ("last", "head"),
        "model.layers.0.self_attn.q_proj.weight": ("layer", "attention"),
        "model.layers.0.self_attn.k_proj.weight": ("layer", "kv"),
        "model.layers.0.self_attn.v_proj.qweight": ("layer", "kv"),
        "model.layers.0.self_attn.o_proj.scales": ("layer", "attention"),
        "model.layers.0.mlp.down_proj.weight": ("layer", "dense"),
        "model.layers.0.input_layernorm.weight": ("layer", "whole"),
    },
    "deepseek-ai--DeepSeek-V3": {
        "model.layers.0.mlp.gate_proj.weight_scale_inv": ("layer", "dense"),
        "model.layers.3.mlp.gate.weight": ("layer", "whole"),
        "model.layers.3.mlp.gate.e_score_correction_bias": ("layer", "whole"),
        "model.layers.3.mlp.experts.200.up_proj.weight": ("layer", "experts"),
        "model.layers.3.mlp.shared_experts.up_proj.weight": ("layer", "shared"),
        "model.layers.3.self_attn.q_a_proj.weight": ("layer", "whole"),
        "model.layers.3.self_attn.kv_a_proj_with_mqa.weight_scale_inv": ("layer", "whole"),
        "model.layers.3.self_attn.kv_a_layernorm.weight": ("layer", "whole"),
        "model.layers.3.self_attn.q_b_proj.weight": ("layer", "attention"),
        "model.layers.3.self_attn.kv_b_proj.weight": ("layer", "attention"),
        "model.layers.61.eh_proj.weight": ("draft", "whole"),
        "model.layers.61.enorm.weight": ("draft", "whole"),
        "model.layers.61.shared_head.head.weight": ("draft", "head"),
        "model.layers.61.shared_head.norm.weight": ("draft", "whole"),
        "model.layers.61.embed_tokens.weight": ("draft", "head"),
        "model.layers.61.mlp.experts.0.down_proj.weight": ("draft", "experts"),
    },
    "deepseek-ai--DeepSeek-V3.2": {
        "model.layers.5.self_attn.indexer.wk.weight": ("layer", "whole"),
        "model.layers.5.self_attn.indexer.wq_b.weight": ("layer", "whole"),
    },
    "deepseek-ai--DeepSeek-V4-Pro": {
        "embed.weight": ("first", "vocabulary"),
        "head.weight": ("last", "head"),
        "norm.weight": ("last", "whole"),
        "layers.2.attn.wq_a.weight": ("layer", "whole"),
        "layers.2.attn.wkv.weight": ("layer", "whole"),
        "layers.2.attn.wq_b.weight": ("layer", "attention"),
        "layers.2.attn.wo_b.scale": ("layer", "attention"),
        "layers.2.attn.compressor.wkv.weight": ("layer", "whole"),
        "layers.2.attn.indexer.wq_b.weight": ("layer", "whole"),
        "layers.2.ffn.experts.9.w1.weight": ("layer", "experts"),
        "layers.2.ffn.shared_experts.w3.weight": ("layer", "shared"),
        "layers.2.ffn.gate.bias": ("layer", "whole"),
        "layers.2.hc_attn_fn": ("layer", "whole"),
        "mtp.0.ffn.experts.9.w1.weight": ("draft", "experts"),
    },
    "moonshotai--Kimi-K2.5": {
        "language_model.model.layers.1.mlp.experts.0.gate_proj.weight_packed": ("layer", "experts"),
        "language_model.model.layers.1.self_attn.q_b_proj.weight": ("layer", "attention"),
        "language_model.lm_head.weight": ("last", "head"),
        "vision_tower.encoder.blocks.3.wqkv.weight": ("vision", "vision"),
        "mm_projector.proj.0.weight": ("vision", "vision"),
    },
    "Qwen--Qwen3.5-397B-A17B": {
        "model.language_model.layers.0.linear_attn.in_proj_qkv.weight": ("layer", "attention"),
        "model.language_model.layers.0.linear_attn.A_log": ("layer", "attention"),
        "model.language_model.layers.0.mlp.shared_expert_gate.weight": ("layer", "whole"),
        "model.language_model.layers.0.mlp.experts.gate_up_proj": ("layer", "experts"),
        "model.language_model.layers.3.self_attn.k_proj.weight": ("layer", "kv"),
        "model.visual.blocks.0.attn.qkv.weight": ("vision", "vision"),
        "mtp.layers.0.self_attn.q_proj.weight": ("draft", "attention"),
        "mtp.fc.weight": ("draft", "whole"),
    },
    "nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4": {
        "backbone.embeddings.weight": ("first", "vocabulary"),
        "backbone.norm_f.weight": ("last", "whole"),
        "backbone.layers.0.mixer.in_proj.weight": ("layer", "attention"),
        "backbone.layers.0.mixer.conv1d.weight": ("layer", "attention"),
        "backbone.layers.1.mixer.experts.3.up_proj.weight": ("layer", "experts"),
        "backbone.layers.1.mixer.shared_experts.down_proj.weight": ("layer", "shared"),
        "backbone.layers.1.mixer.gate.weight": ("layer", "whole"),
        "backbone.layers.1.mixer.fc1_latent_proj.weight": ("layer", "whole"),
        "backbone.layers.7.mixer.k_proj.weight": ("layer", "kv"),
    },
    "openai--gpt-oss-20b": {
        "model.layers.0.mlp.experts.gate_up_proj_blocks": ("layer", "experts"),
        "model.layers.0.mlp.experts.down_proj_bias": ("layer", "experts"),
        "model.layers.0.mlp.router.bias": ("layer", "whole"),
        "model.layers.0.self_attn.sinks": ("layer", "attention"),
    },
    "MiniMaxAI--MiniMax-M2.7": {
        "model.layers.0.block_sparse_moe.experts.0.w1.weight": ("layer", "experts"),
        "model.layers.0.block_sparse_moe.gate.weight": ("layer", "whole"),
        "model.layers.0.block_sparse_moe.e_score_correction_bias": ("layer", "whole"),
    },
    "meta-llama--Llama-4-Maverick-17B-128E-Instruct": {
        "language_model.model.layers.1.feed_forward.experts.gate_up_proj": ("layer", "experts"),
        "language_model.model.layers.1.feed_forward.shared_expert.up_proj.weight": ("layer", "shared"),
        "language_model.model.layers.1.feed_forward.router.weight": ("layer", "whole"),
        "language_model.model.layers.0.feed_forward.up_proj.weight": ("layer", "dense"),
    },
    "google--gemma-4-26B-A4B": {
        "model.language_model.layers.0.experts.gate_up_proj": ("layer", "experts"),
        "model.language_model.layers.0.router.proj.weight": ("layer", "whole"),
        "model.language_model.layers.0.layer_scalar": ("layer", "whole"),
        "model.language_model.layers.0.mlp.up_proj.weight": ("layer", "dense"),
        "model.language_model.embed_tokens_per_layer.weight": ("first", "whole"),
        "model.embed_vision.embedding_projection.weight": ("vision", "vision"),
    },
}


@pytest.mark.parametrize(
    ("model", "name", "expected"),
    [(model, name, expected) for model, names in NAMES.items() for name, expected in names.items()],
)
def test_where_a_tensor_belongs(model: str, name: str, expected: tuple[str, str]) -> None:
    shape = samples.shape(model)
    named = classify(name, shape.layers, shape.vocab_size)
    assert (named.place, named.spread) == expected
    assert named.known
