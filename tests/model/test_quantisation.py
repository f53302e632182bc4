"""How weights are stored, by every way in which checkpoints write it down."""

from __future__ import annotations

from typing import Any

import pytest

from model import samples
from sgfleet.model.estimate import stored_bytes
from sgfleet.model.problem import ModelError
from sgfleet.model.quantisation.parts import Names
from sgfleet.model.shape import Quantisation, Storage

DENSE = ["attention", "output", "dense"]
MOE = ["attention", "output", "experts"]


def quantisation(section: dict[str, Any], config: dict[str, Any] | None = None, **more: Any) -> Quantisation:
    found = samples.made({**(config or samples.SMALL_LLAMA), "quantization_config": section}, **more).quantisation
    assert found is not None
    return found


def formats(found: Quantisation) -> dict[str, str]:
    return {part: storage.format for part, storage in found.parts}


def test_an_unquantised_checkpoint_has_none() -> None:
    assert samples.made(samples.SMALL_LLAMA).quantisation is None


@pytest.mark.parametrize(
    ("section", "storage"),
    [
        (
            {"quant_method": "fp8", "weight_block_size": [128, 128]},
            Storage("fp8", 8, scale_bits=32, block=(128, 128)),
        ),
        ({"quant_method": "fp8", "activation_scheme": "static"}, Storage("fp8", 8)),
        (
            {"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True},
            Storage("int4", 4, scale_bits=16, group_size=128, zero_points=True),
        ),
        (
            {"quant_method": "gptq", "bits": 8, "group_size": -1},
            Storage("int8", 8, scale_bits=16, zero_points=True),
        ),
        ({"quant_method": "auto-round", "bits": 4, "group_size": 64}, Storage("int4", 4, 16, 64, zero_points=True)),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, Storage("int4", 4, scale_bits=16, group_size=64)),
        ({"quant_method": "w8a8_int8"}, Storage("int8", 8)),
    ],
)
def test_methods_with_one_storage(section: dict[str, Any], storage: Storage) -> None:
    found = quantisation(section)
    assert found.method == section["quant_method"]
    assert found.parts == tuple((part, storage) for part in DENSE)
    assert found.unsure == ()


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"quant_method": "future"}, "quant_method that is not known, future"),
        ({"bits": 4}, "quant_method that is not known, none"),
        ({"quant_algo": "FUTURE8"}, "quant_algo that is not known, FUTURE8"),
        ({"quant_method": "compressed-tensors", "format": "future"}, "has no config_groups"),
    ],
)
def test_an_unknown_method_is_named(section: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        quantisation(section)


@pytest.mark.parametrize(
    ("ignored", "left"),
    [
        (["model.layers.0.self_attn.q_proj", "lm_head"], MOE),  # one layer of three is not the rule
        (["lm_head", "mlp.gate"], MOE),
        ([f"model.layers.{index}.self_attn" for index in range(3)], ["experts"]),
        ([f"model.layers.{index}.self_attn.o_proj" for index in range(3)], ["attention", "experts"]),
        (["self_attn"], ["experts"]),
        (["model.layers.*.self_attn*"], ["experts"]),
        (["*self_attn*", "*mlp.experts*"], []),
        (["re:.*self_attn.*"], ["experts"]),
        (["re:.*mlp\\.(gate|up)$"], MOE),
    ],
)
def test_lists_of_what_is_left_out(ignored: list[str], left: list[str]) -> None:
    section = {"quant_method": "fp8", "modules_to_not_convert": ignored}
    assert list(formats(quantisation(section, samples.SMALL_MOE))) == left


def test_modelopt_with_its_list() -> None:
    section = {
        "quant_method": "modelopt",
        "quant_algo": "NVFP4",
        "ignore": ["*self_attn*", "lm_head"],
        "group_size": 16,
    }
    found = quantisation({**section, "kv_cache_scheme": {"type": "float", "num_bits": 8}}, samples.SMALL_MOE)
    assert formats(found) == {"experts": "nvfp4"}
    assert found.unsure == ()
    assert found.kv_cache == "fp8"


def test_modelopt_without_its_list_is_unsure_of_attention() -> None:
    found = quantisation({"quant_method": "modelopt", "quant_algo": "NVFP4"}, samples.SMALL_MOE)
    assert formats(found) == {"experts": "nvfp4"}
    assert found.unsure == ("attention", "output")
    assert quantisation({"quant_method": "modelopt", "quant_algo": "NVFP4"}).unsure == ()


def test_modelopt_in_a_file_of_its_own() -> None:
    beside = {
        "producer": {"name": "modelopt"},
        "quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8", "exclude_modules": ["lm_head"]},
    }
    found = samples.made(samples.SMALL_LLAMA, quantisation=beside).quantisation
    assert found is not None
    assert (found.method, found.kv_cache) == ("modelopt", "fp8")
    assert formats(found) == dict.fromkeys(DENSE, "fp8")


def test_modelopt_with_a_list_of_layers() -> None:
    listed = {
        f"model.layers.{index}.{module}": {"quant_algo": algorithm, "group_size": 16}
        for index in range(3)
        for module, algorithm in [
            ("self_attn.q_proj", "FP8"),
            ("mlp.experts.0.gate_proj", "NVFP4"),
        ]
    }
    section = {
        "quant_method": "modelopt",
        "quant_algo": "MIXED_PRECISION",
        "quantized_layers": {**listed, "lm_head": {"quant_algo": "FP8"}},
    }
    found = quantisation(section, samples.SMALL_MOE)
    assert formats(found) == {"attention": "fp8", "experts": "nvfp4", "lm_head": "fp8"}
    assert found.unsure == ()


def test_modelopt_whose_list_of_layers_is_not_at_hand() -> None:
    section = {"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": {"_omitted": "many"}}
    found = quantisation(section, samples.SMALL_MOE)
    assert formats(found) == {"attention": "fp8", "output": "fp8", "experts": "nvfp4"}
    assert found.unsure == ("attention", "output")


def test_compressed_tensors_with_groups() -> None:
    section = {
        "quant_method": "compressed-tensors",
        "format": "pack-quantized",
        "config_groups": {
            "group_0": {
                "targets": ["Linear"],
                "weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32, "symmetric": True},
            }
        },
        "ignore": ["re:.*self_attn.*", "re:.*shared_experts.*", "lm_head"],
    }
    found = quantisation(section, samples.SMALL_MOE)
    assert found.parts == (("experts", Storage("int4", 4, scale_bits=16, group_size=32)),)
    assert found.unsure == ()


@pytest.mark.parametrize(
    ("weights", "storage"),
    [
        ({"num_bits": 8, "type": "float", "strategy": "channel"}, Storage("fp8", 8)),
        ({"num_bits": 8, "type": "float", "block_structure": [128, 128]}, Storage("fp8", 8, 32, block=(128, 128))),
        ({"num_bits": 8, "type": "int", "strategy": "channel"}, Storage("int8", 8, 16)),
        ({"num_bits": 4, "type": "float", "group_size": 16}, Storage("nvfp4", 4, 8, 16)),
        ({"num_bits": 4, "type": "float", "group_size": 32}, Storage("mxfp4", 4, 8, 32)),
        (
            {"num_bits": 4, "type": "int", "group_size": 128, "symmetric": False},
            Storage("int4", 4, 16, 128, zero_points=True),
        ),
    ],
)
def test_compressed_tensors_schemes(weights: dict[str, Any], storage: Storage) -> None:
    groups = {"group_0": {"targets": ["Linear"], "weights": weights}}
    found = quantisation({"quant_method": "compressed-tensors", "config_groups": groups, "ignore": ["lm_head"]})
    assert found.parts == tuple((part, storage) for part in DENSE)


def test_compressed_tensors_groups_with_named_targets_come_first() -> None:
    groups = {
        "group_0": {"targets": ["Linear"], "weights": {"num_bits": 8, "type": "float"}},
        "group_1": {
            "targets": ["re:.*mlp.experts.*"],
            "weights": {"num_bits": 4, "type": "int", "group_size": 32},
        },
    }
    found = quantisation(
        {"quant_method": "compressed-tensors", "config_groups": groups, "ignore": ["lm_head"]}, samples.SMALL_MOE
    )
    assert formats(found) == {"attention": "fp8", "output": "fp8", "experts": "int4"}


@pytest.mark.parametrize(
    ("name", "expected", "unsure"),
    [
        ("openai--gpt-oss-20b", {"experts": "mxfp4"}, ()),
        (
            "deepseek-ai--DeepSeek-V4-Pro",
            {"attention": "fp8", "output": "fp8", "experts": "mxfp4", "shared": "fp8"},
            (),
        ),
        (
            "nvidia--DeepSeek-V4-Pro-NVFP4",
            {"attention": "fp8", "output": "fp8", "experts": "nvfp4", "shared": "fp8"},
            (),
        ),
        ("moonshotai--Kimi-K2.5", {"experts": "int4"}, ("attention", "output", "dense", "shared")),
        (
            "nvidia--DeepSeek-V3.1-NVFP4",
            {"dense": "nvfp4", "experts": "nvfp4", "shared": "nvfp4"},
            ("attention", "output"),
        ),
        ("Qwen--Qwen3-32B-FP8-Static-PerTensor", dict.fromkeys(DENSE, "fp8"), ()),
    ],
)
def test_public_checkpoints(name: str, expected: dict[str, str], unsure: tuple[str, ...]) -> None:
    found = samples.shape(name).quantisation
    assert found is not None
    assert formats(found) == expected
    assert found.unsure == unsure


def test_bytes_with_scales() -> None:
    assert stored_bytes(1024, Storage("nvfp4", 4, 8, 16)) == 512 + 64
    assert stored_bytes(1024, Storage("int4", 4, 16, 128, zero_points=True)) == 512 + 8 * 2 + 8 // 2
    assert stored_bytes(128 * 128 * 3, Storage("fp8", 8, 32, block=(128, 128))) == 128 * 128 * 3 + 3 * 4
    assert stored_bytes(7, Storage("fp8", 8)) == 7


@pytest.mark.parametrize(
    "pattern", ["re:(a+)+$", "re:(.*)*x", "re:(", "re:" + "a" * 400, "re:a*b*c*d*e*f*g*h*i*", "*" * 12]
)
def test_patterns_that_could_run_for_ever_are_left_alone(pattern: str) -> None:
    names = Names([pattern])
    assert names.not_understood == (pattern,)
    assert not names.has("a" * 40 + "!")
