"""Configurations of public checkpoints (figures alone), and small checkpoints that tests write themselves."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from sgfleet.model.config import read_config
from sgfleet.model.read import read_shape
from sgfleet.model.shape import ModelShape, Source

CONFIGS = Path(__file__).parent / "configs"
NAMES = sorted(path.stem for path in CONFIGS.glob("*.json") if not path.name.endswith(".quant.json"))


def text(name: str) -> str:
    return (CONFIGS / f"{name}.json").read_text()


def values(name: str) -> dict[str, Any]:
    return json.loads(text(name))


@lru_cache
def shape(name: str) -> ModelShape:
    """The shape of one of the checkpoints in configs/."""
    beside = CONFIGS / f"{name}.quant.json"
    return read_shape(
        read_config(text(name), quantisation=beside.read_text() if beside.exists() else None), Source("config", name)
    )


def made(config: dict[str, Any], *, quantisation: dict[str, Any] | None = None) -> ModelShape:
    """The shape of a configuration that a test wrote."""
    beside = None if quantisation is None else json.dumps(quantisation)
    return read_shape(read_config(json.dumps(config), quantisation=beside), Source("config", "made"))


SMALL_LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "intermediate_size": 96,
    "vocab_size": 256,
    "max_position_embeddings": 512,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
SMALL_MOE: dict[str, Any] = {
    **SMALL_LLAMA,
    "architectures": ["Qwen3MoeForCausalLM"],
    "model_type": "qwen3_moe",
    "head_dim": 8,
    "num_experts": 6,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
    "decoder_sparse_step": 1,
}


def small_tensors(config: dict[str, Any]) -> dict[str, tuple[str, list[int]]]:
    """Names, types and shapes of the tensors that a checkpoint with SMALL_LLAMA or SMALL_MOE has."""
    hidden, rows = config["hidden_size"], config["vocab_size"]
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    head_dim = config.get("head_dim", hidden // heads)
    found: dict[str, list[int]] = {"model.embed_tokens.weight": [rows, hidden], "model.norm.weight": [hidden]}
    if not config["tie_word_embeddings"]:
        found["lm_head.weight"] = [rows, hidden]
    for index in range(config["num_hidden_layers"]):
        layer = f"model.layers.{index}"
        found |= {
            f"{layer}.input_layernorm.weight": [hidden],
            f"{layer}.post_attention_layernorm.weight": [hidden],
            f"{layer}.self_attn.q_proj.weight": [heads * head_dim, hidden],
            f"{layer}.self_attn.k_proj.weight": [kv_heads * head_dim, hidden],
            f"{layer}.self_attn.v_proj.weight": [kv_heads * head_dim, hidden],
            f"{layer}.self_attn.o_proj.weight": [hidden, heads * head_dim],
        }
        if "num_experts" not in config:
            found |= _three(f"{layer}.mlp", hidden, config["intermediate_size"])
            continue
        found |= {f"{layer}.self_attn.{which}_norm.weight": [head_dim] for which in "qk"}
        found[f"{layer}.mlp.gate.weight"] = [config["num_experts"], hidden]
        for expert in range(config["num_experts"]):
            found |= _three(f"{layer}.mlp.experts.{expert}", hidden, config["moe_intermediate_size"])
    return {name: ("BF16", size) for name, size in found.items()}


def _three(prefix: str, hidden: int, width: int) -> dict[str, list[int]]:
    return {
        f"{prefix}.gate_proj.weight": [width, hidden],
        f"{prefix}.up_proj.weight": [width, hidden],
        f"{prefix}.down_proj.weight": [hidden, width],
    }


def safetensors(tensors: dict[str, tuple[str, list[int]]]) -> bytes:
    """A whole file in the format, its data zero."""
    header, offset = {}, 0
    for name, (dtype, size) in tensors.items():
        count = 1
        for side in size:
            count *= side
        width = count * {"BF16": 16, "F32": 32, "F8_E4M3": 8, "U8": 8, "F4": 4}[dtype] // 8
        header[name] = {"dtype": dtype, "shape": size, "data_offsets": [offset, offset + width]}
        offset += width
    raw = json.dumps(header).encode()
    return len(raw).to_bytes(8, "little") + raw + bytes(offset)


def write_checkpoint(
    folder: Path, config: dict[str, Any], tensors: dict[str, tuple[str, list[int]]] | None = None, *, files: int = 2
) -> Path:
    """A checkpoint in a folder: config.json, index and files."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    tensors = small_tensors(config) if tensors is None else tensors
    weight_map: dict[str, str] = {}
    for number in range(files):
        name = f"model-{number + 1:05}-of-{files:05}.safetensors"
        part = dict(list(tensors.items())[number::files])
        (folder / name).write_bytes(safetensors(part))
        weight_map |= dict.fromkeys(part, name)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    return folder
