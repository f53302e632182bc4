"""Attention backends and KV types against the kind of model and the GPU: every choice of the newest releases is judged,
or named here as open.
"""

from __future__ import annotations

import re

import pytest

from rules.memory.hosts import gpus, one
from rules.said import said
from rules.views import facts
from sgfleet.engine import store
from sgfleet.findings import Severity
from sgfleet.rules.memory import _backends, backend_without_kernels, kv_type_without_kernels
from sgfleet.rules.memory.backend_of_another_model import WANTS

PLAIN, LATENT, SPARSE, COMPRESSED = (
    "Qwen/Qwen3-32B",
    "deepseek-ai/DeepSeek-V3",
    "deepseek-ai/DeepSeek-V3.2",
    "deepseek-ai/DeepSeek-V4-Flash",
)
NEWEST = store.available()[-3:]

BY_GPU = {"fa3", "trtllm_mla", "trtllm_mha", *backend_without_kernels.MAJORS}
OPEN_BACKENDS = {
    "flashinfer": "of every GPU and kind",
    "triton": "of every GPU and kind",
    "torch_native": "of every GPU; nothing asks for a kind at start",
    "flex_attention": "of every GPU; nothing asks for a kind at start",
    "fa4": "its kernels are made when they are first called: no wheel says where they are",
    "qsa": "for Qwen's own sparse models; of others nothing is read from the wheels",
    "dsv4": "for DeepSeek V4; of others nothing is read from the wheels",
    "compressed": "the same under its other name",
    "minicpm_flashattn": "for MiniCPM; of others nothing is read from the wheels",
    "minicpm_flashinfer": "for MiniCPM; of others nothing is read from the wheels",
    "aiter": "AMD",
    "wave": "AMD",
    "intel_amx": "a CPU",
    "intel_xpu": "an Intel GPU",
    "ascend": "an NPU",
}
"""What is judged neither by model nor by GPU -> why. Of flashmla the GPU is open: its kernels are another package's."""
OPEN_TYPES = {
    "auto": "the release chooses",
    "bf16": "of every GPU",
    "bfloat16": "of every GPU",
    "fp8_e5m2": "of every GPU",
    "fp8_e4m3": "MEM024 knows the GPUs",
}


def on(capability):
    return facts(gpus=gpus(8, "GPU", 97887, capability), memory={"total-bytes": 2**40})


def verdicts(rule, model, capability, release, **flags):
    flags = {"model-path": model, "tp-size": 8, **{key.replace("_", "-"): value for key, value in flags.items()}}
    return said(f"memory.{rule}", one(flags, on(capability), release=release))


def _choices(flag):
    return {each for version in NEWEST for each in store.load(version).by_name[flag].choices if each is not None}


def test_every_backend_and_type_is_judged_or_open():
    assert _choices("attention-backend") == ({*WANTS, *BY_GPU} & _choices("attention-backend")) | OPEN_BACKENDS.keys()
    judged = {*kv_type_without_kernels.MAJORS, *kv_type_without_kernels.FOUR_BITS}
    assert _choices("kv-cache-dtype") == (judged & _choices("kv-cache-dtype")) | OPEN_TYPES.keys()


@pytest.mark.parametrize(
    ("backend", "release", "fit", "misfit"),
    [
        ("flashmla", "0.5.9", (LATENT, SPARSE, COMPRESSED), (PLAIN,)),
        ("flashmla", "0.5.23", (LATENT,), (PLAIN,)),
        ("cutlass_mla", "0.5.9", (LATENT,), (PLAIN,)),
        ("trtllm_mla", "0.5.9", (LATENT,), (PLAIN,)),
        ("tokenspeed_mla", "0.5.12", (LATENT,), (PLAIN,)),
        ("cutedsl_mla", "0.5.23", (LATENT,), (PLAIN,)),
        ("trtllm_mha", "0.5.9", (PLAIN, COMPRESSED), (LATENT,)),
        ("hpc_ops", "0.5.23", (PLAIN,), (LATENT,)),
        ("nsa", "0.5.9", (SPARSE, COMPRESSED), (PLAIN, LATENT)),
        ("dsa", "0.5.23", (SPARSE,), (PLAIN, LATENT)),
        ("flashinfer", "0.5.9", (PLAIN, LATENT), ()),
    ],
)
def test_backends_of_another_model(backend, release, fit, misfit):
    for model in (*fit, *misfit):
        found = verdicts("backend_of_another_model", model, "9.0", release, attention_backend=backend)
        assert bool(found) is (model in misfit), model
        for problem in found:
            named = re.findall(r"write (\w+)", problem.help)
            assert all(each in OPEN_BACKENDS for each in named)


@pytest.mark.parametrize(
    ("backend", "release", "runs", "refused"),
    [
        ("cutedsl_mla", "0.5.23", ("10.0",), ("8.9", "9.0", "12.0")),
        ("tokenspeed_mla", "0.5.18", ("10.0", "12.0"), ("8.9", "9.0")),
        ("hpc_ops", "0.5.23", ("9.0",), ("8.9", "10.0", "12.0")),
    ],
)
def test_backends_that_ask_for_a_gpu(backend, release, runs, refused):
    for capability in (*runs, *refused):
        found = verdicts("backend_without_kernels", LATENT, capability, release, attention_backend=backend)
        assert bool(found) is (capability in refused), capability


ERROR, WARNING = None, Severity.WARNING
"""The rule's own, and less."""


@pytest.mark.parametrize(
    ("release", "model", "capability", "flags", "expected"),
    [
        ("0.5.23", PLAIN, "8.9", {"kv_cache_dtype": "nvfp4"}, [ERROR]),
        ("0.5.23", PLAIN, "9.0", {"kv_cache_dtype": "nvfp4"}, [ERROR]),
        ("0.5.23", PLAIN, "10.0", {"kv_cache_dtype": "nvfp4"}, []),
        ("0.5.23", PLAIN, "12.0", {"kv_cache_dtype": "nvfp4"}, []),
        ("0.5.23", PLAIN, "9.0", {"kv_cache_dtype": "mxfp8"}, [ERROR]),
        ("0.5.23", PLAIN, "10.0", {"kv_cache_dtype": "mxfp8"}, []),
        ("0.5.23", PLAIN, "8.9", {"kv_cache_dtype": "fp4_mx_block16"}, [WARNING]),
        ("0.5.23", PLAIN, "8.9", {"kv_cache_dtype": "fp4_mx_block16", "attention_backend": "triton"}, []),
        ("0.5.23", PLAIN, "8.9", {"kv_cache_dtype": "fp4_mx_block16", "attention_backend": "flashinfer"}, [ERROR]),
        ("0.5.23", LATENT, "8.9", {"kv_cache_dtype": "fp4_mx_block16", "attention_backend": "flashinfer"}, []),
        ("0.5.23", LATENT, "9.0", {"kv_cache_dtype": "fp4_mx_block16", "attention_backend": "triton"}, [ERROR]),
        ("0.5.9", LATENT, "9.0", {"kv_cache_dtype": "fp4_e2m1", "attention_backend": "flashmla"}, []),
        ("0.5.18", LATENT, "9.0", {"kv_cache_dtype": "fp4_mx_block16", "attention_backend": "flashmla"}, [ERROR]),
        ("0.5.18", LATENT, "10.0", {"kv_cache_dtype": "nvfp4", "attention_backend": "trtllm_mla"}, [ERROR]),
        ("0.5.23", PLAIN, "10.0", {"kv_cache_dtype": "nvfp4", "attention_backend": "triton"}, []),
        ("0.5.16", PLAIN, "10.0", {"kv_cache_dtype": "fp4_e2m1"}, [ERROR]),
        ("0.5.15", LATENT, "10.0", {"kv_cache_dtype": "fp4_e2m1", "attention_backend": "trtllm_mla"}, []),
        ("0.5.6", PLAIN, "8.9", {"kv_cache_dtype": "fp4_e2m1", "attention_backend": "flashinfer"}, []),
        (
            "0.5.9",
            PLAIN,
            "10.0",
            {
                "kv_cache_dtype": "fp4_e2m1",
                "attention_backend": "trtllm_mha",
                "prefill_attention_backend": "fa4",
            },
            [ERROR],
        ),
        # Two backends side by side are let pass with a warning.
        (
            "0.5.9",
            PLAIN,
            "9.0",
            {"kv_cache_dtype": "fp4_e2m1", "attention_backend": "flashinfer", "decode_attention_backend": "triton"},
            [],
        ),
        ("0.5.23", PLAIN, "8.9", {"kv_cache_dtype": "fp8_e4m3"}, []),
    ],
)
def test_kv_types(release, model, capability, flags, expected):
    found = verdicts("kv_type_without_kernels", model, capability, release, **flags)
    assert [each.severity for each in found] == expected


def test_beside_fa4_the_backend_that_decodes_is_named():
    flags = {"kv_cache_dtype": "fp4_e2m1", "attention_backend": "fa4", "decode_attention_backend": "trtllm_mha"}
    (problem,) = verdicts("kv_type_without_kernels", PLAIN, "10.0", "0.5.9", **flags)
    assert problem.help.startswith("write decode-attention-backend triton")


OSS, LLAMA4, GEMMA4, NEMOTRON, DELTA = (
    "/srv/models/gpt-oss-120b",
    "/srv/models/Llama-4-Scout-17B-16E-Instruct",
    "google/gemma-4-31B-it",
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
    "Qwen/Qwen3.5-27B",
)


@pytest.mark.parametrize(
    ("model", "release", "capability", "taken", "refused"),
    [
        (OSS, "0.5.3", "9.0", ("triton", "fa3"), ("flashinfer", "fa4")),
        (OSS, "0.5.12", "10.0", ("triton", "trtllm_mha", "fa4"), ("flashinfer", "torch_native", "flashmla")),
        (OSS, "0.5.23", "9.0", ("triton", "fa3"), ("flashinfer",)),
        (LLAMA4, "0.5.1", "9.0", ("fa3",), ("triton", "flashinfer")),
        (LLAMA4, "0.5.3", "9.0", ("fa3", "triton"), ("trtllm_mha", "flashinfer")),
        (LLAMA4, "0.5.12", "9.0", ("fa3", "triton"), ("fa4", "flashinfer")),
        (LLAMA4, "0.5.23", "10.0", ("trtllm_mha", "triton"), ("fa4", "flashinfer")),
        (GEMMA4, "0.5.12", "9.0", ("flashinfer",), ()),
        (GEMMA4, "0.5.18", "9.0", ("triton",), ("flashinfer", "fa4")),
        (GEMMA4, "0.5.22", "9.0", ("triton", "fa4"), ("flashinfer",)),
        (NEMOTRON, "0.5.12", "9.0", ("flashinfer",), ("triton",)),
        (NEMOTRON, "0.5.23", "9.0", ("flashinfer", "triton"), ()),
        (DELTA, "0.5.4", "10.0", ("triton",), ("flashinfer", "trtllm_mha")),
        (DELTA, "0.5.9", "10.0", ("triton", "trtllm_mha"), ("flashinfer",)),
        (DELTA, "0.5.12", "10.0", ("triton", "flashinfer"), ("torch_native",)),
        (DELTA, "0.5.18", "10.0", ("triton", "fa4"), ("flashinfer",)),
        (DELTA, "0.5.18", "9.0", ("triton", "flashinfer"), ()),
        (PLAIN, "0.5.12", "9.0", ("triton", "flashinfer", "torch_native"), ()),
    ],
)
def test_lists_of_single_architectures(model, release, capability, taken, refused):
    for backend in (*taken, *refused):
        found = verdicts("backend_of_another_model", model, capability, release, attention_backend=backend)
        assert bool(found) is (backend in refused), backend


@pytest.mark.parametrize(
    ("flags", "release", "found"),
    [
        ({"prefill_attention_backend": "flashinfer"}, "0.5.12", 1),
        ({"prefill_attention_backend": "flashinfer", "attention_backend": "triton"}, "0.5.3", 0),
        (
            {
                "attention_backend": "flashinfer",
                "prefill_attention_backend": "fa3",
                "decode_attention_backend": "triton",
            },
            "0.5.12",
            0,
        ),
        ({"attention_backend": "flashinfer", "device": "cpu"}, "0.5.12", 0),
    ],
)
def test_which_flag_a_list_is_held_against(flags, release, found):
    assert len(verdicts("backend_of_another_model", OSS, "9.0", release, **flags)) == found


@pytest.mark.parametrize("capability", ["8.0", "9.0", "10.0", "12.0"])
@pytest.mark.parametrize("release", ["0.4.10", "0.5.1", "0.5.3", "0.5.9", "0.5.12", "0.5.18", "0.5.23"])
@pytest.mark.parametrize("model", [OSS, LLAMA4, GEMMA4, NEMOTRON, DELTA])
def test_helps_name_what_the_architecture_takes(model, release, capability):
    """Each value that a help names is asked about again, and nothing is then said of backends."""
    rules = ("backend_of_another_model", "backend_without_kernels")
    for backend in ("fa3", "flashmla", "trtllm_mha", "flashinfer"):
        for rule in rules:
            for problem in verdicts(rule, model, capability, release, attention_backend=backend):
                words = problem.help.partition("write ")[2].split(",")[0]
                for named in words.split(" or ") if words else ():
                    assert not any(
                        verdicts(each, model, capability, release, attention_backend=named) for each in rules
                    ), (backend, problem.help)


@pytest.mark.parametrize(
    ("flags", "removed"),
    [
        ({"attention_backend": "flashinfer"}, True),
        ({"attention_backend": "flashinfer", "decode_attention_backend": "triton"}, False),
        ({"attention_backend": "triton", "prefill_attention_backend": "flashinfer"}, True),
        ({"attention-backend": "flashmla"}, True),
    ],
)
def test_a_flag_is_taken_away_only_where_the_release_chooses_before_it_asks(flags, removed):
    (problem,) = verdicts("backend_of_another_model", OSS, "9.0", "0.5.12", **flags)
    assert ("remove the flag" in problem.help) is removed


@pytest.mark.parametrize(
    ("release", "flags", "found"),
    [
        ("0.5.17", {"attention_backend": "triton", "prefill_attention_backend": "flashinfer"}, 0),
        ("0.5.18", {"attention_backend": "triton", "prefill_attention_backend": "flashinfer"}, 1),
        ("0.5.23", {"attention_backend": "triton", "prefill_attention_backend": "flashinfer"}, 0),
    ],
)
def test_delta_nets_are_asked_for_both_phases_from_one_release_on(release, flags, found):
    assert len(verdicts("backend_of_another_model", DELTA, "10.0", release, **flags)) == found


def test_a_release_without_a_backend_for_the_gpu_says_so():
    (problem,) = verdicts("backend_without_kernels", LLAMA4, "10.0", "0.5.1", attention_backend="fa3")
    assert problem.help.endswith("take another release")


def test_a_four_bit_help_names_no_backend_that_the_architecture_refuses():
    flags = {"kv_cache_dtype": "fp4_e2m1", "attention_backend": "flashinfer"}
    (problem,) = verdicts("kv_type_without_kernels", OSS, "10.0", "0.5.12", **flags)
    assert "torch_native" not in problem.help
    assert "triton" in problem.help


def test_every_row_names_releases_that_there_are():
    there = set(store.available())
    for row in (*_backends.ROWS, *_backends.DELTA_NETS):
        named = {row.since, row.until, row.split, row.chooses, *row.takes.values()} - {None}
        assert named <= there
