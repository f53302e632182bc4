"""What a model asks of ranks and of the GPU's architecture."""

from __future__ import annotations

import pytest

from rules.memory.hosts import gpus, one
from rules.said import said
from rules.views import facts
from sgfleet.findings import Severity


def on(capability, name="GPU"):
    return facts(gpus=gpus(8, name=name, memory_mib=97887, capability=capability), memory={"total-bytes": 2**40})


@pytest.mark.parametrize(
    ("model", "flags", "found"),
    [
        ("Qwen/Qwen3-32B", {"tp-size": 3}, True),
        ("Qwen/Qwen3-32B", {"tp-size": 8}, False),
        ("Qwen/Qwen3-32B", {"tp-size": 16}, False),
        ("Qwen/Qwen3-32B", {"tp-size": 6, "dp-size": 3, "enable-dp-attention": True}, False),
        ("deepseek-ai/DeepSeek-V3", {"tp-size": 12}, True),
    ],
)
def test_heads(model, flags, found):
    assert bool(said("memory.heads_not_divided", one({"model-path": model, **flags}, None))) is found


@pytest.mark.parametrize(
    ("model", "flags", "found"),
    [
        ("Qwen/Qwen3-235B-A22B-FP8", {"tp-size": 8}, True),
        ("Qwen/Qwen3-235B-A22B-FP8", {"tp-size": 8, "ep-size": 8}, False),
        ("Qwen/Qwen3-235B-A22B-FP8", {"tp-size": 4}, False),
        ("Qwen/Qwen3-235B-A22B", {"tp-size": 8}, False),
        ("deepseek-ai/DeepSeek-V3", {"tp-size": 32}, True),
        ("deepseek-ai/DeepSeek-V3", {"tp-size": 16}, False),
    ],
)
def test_blocks(model, flags, found):
    problems = said("memory.blocks_not_divided", one({"model-path": model, **flags}, None))
    assert bool(problems) is found
    assert all("tp-size" in problem.help for problem in problems)


QWEN, DEEPSEEK = "Qwen/Qwen3-235B-A22B-FP8", "deepseek-ai/DeepSeek-V3"


@pytest.mark.parametrize(
    ("rule", "model", "flags", "count", "help_"),
    [
        ("blocks", "Qwen/Qwen3-32B-FP8", {"tp-size": 6}, None, "tp-size 8 or 4 leaves every block whole"),
        ("blocks", "Qwen/Qwen3-32B-FP8", {"tp-size": 6}, 8, "tp-size 8 or 4 leaves every block whole"),
        (
            "blocks",
            "Qwen/Qwen3-32B-FP8",
            {"tp-size": 6},
            6,
            "tp-size 4 or 8 on a host with 8 such GPUs leaves every block whole",
        ),
        ("heads", "Qwen/Qwen3-32B-FP8", {"tp-size": 6}, 8, "tp-size 8 or 4 divides them"),
        ("blocks", DEEPSEEK, {"tp-size": 6}, None, "tp-size 8 or 4 leaves every block whole"),
        # 4 hold too little, and with 8 the default fraction is at the edge
        ("blocks", DEEPSEEK, {"tp-size": 6}, 8, "tp-size 8 with mem-fraction-static 0.900 leaves every block whole"),
        ("blocks", DEEPSEEK, {"tp-size": 32}, None, "tp-size 16 leaves every block whole"),
        ("blocks", QWEN, {"tp-size": 8}, 8, "ep-size 2, or tp-size 4 leaves every block whole"),
        ("heads", QWEN, {"tp-size": 12}, 8, "tp-size 4 divides them"),  # 16 would cut the blocks of experts
    ],
)
def test_the_helps_name_the_nearest_sizes_that_divide_all_of_the_model(rule, model, flags, count, help_):
    card = facts(gpus=gpus(count, "GPU", 97887, "9.0"), memory={"total-bytes": 2**41}) if count else None
    (problem,) = said(f"memory.{rule}_not_divided", one({"model-path": model, **flags}, card))
    assert problem.help == help_


ERRORS, WARNING = Severity.ERROR, Severity.WARNING


@pytest.mark.parametrize(
    ("release", "backend", "capability", "expected"),
    [
        ("0.5.10", "trtllm_mla", "12.0", [ERRORS]),
        ("0.5.3", "trtllm_mla", "12.0", [ERRORS]),
        ("0.5.20", "trtllm_mla", "12.0", [WARNING]),
        ("0.5.10", "trtllm_mla", "10.0", []),
        ("0.5.9", "trtllm_mha", "12.0", [ERRORS]),
        ("0.5.23", "trtllm_mha", "12.0", []),
        ("0.5.10", "trtllm_mha", "9.0", [ERRORS]),
        ("0.5.9", "fa3", "12.0", [ERRORS]),
        ("0.5.9", "fa3", "9.0", []),
        ("0.5.9", "fa3", "8.0", []),
        ("0.5.9", "triton", "7.0", []),
    ],
)
def test_backends(release, backend, capability, expected):
    flags = {"model-path": "Qwen/Qwen3-8B", "attention-backend": backend}
    problems = said("memory.backend_without_kernels", one(flags, on(capability), release=release))
    assert [problem.severity for problem in problems] == expected


def test_a_backend_that_both_phases_replace_is_none_of_this_rules_matters():
    flags = {"model-path": "Qwen/Qwen3-8B", "decode-attention-backend": "trtllm_mha"}
    for release, expected in (("0.5.9", 1), ("0.5.10", 0)):
        assert len(said("memory.backend_without_kernels", one(flags, on("9.0"), release=release))) == expected


def test_fa3_with_latent_attention_wants_9():
    flags = {"model-path": "deepseek-ai/DeepSeek-V3", "tp-size": 8, "attention-backend": "fa3"}
    assert len(said("memory.backend_without_kernels", one(flags, on("8.0")))) == 1


@pytest.mark.parametrize(
    ("release", "flags", "capability", "found"),
    [
        ("0.5.9", {"quantization": "modelopt_fp4"}, "9.0", True),
        ("0.5.13", {"quantization": "modelopt_fp4"}, "9.0", False),
        ("0.5.9", {"quantization": "w8a8_fp8"}, "8.0", True),
        ("0.5.9", {"model-path": "Qwen/Qwen3-32B-FP8"}, "7.5", True),
        ("0.5.9", {"model-path": "Qwen/Qwen3-32B-FP8"}, "8.0", False),
        ("0.5.9", {}, "7.5", False),
    ],
)
def test_quantisation(release, flags, capability, found):
    view = one({"model-path": "Qwen/Qwen3-8B", **flags}, on(capability), release=release)
    assert bool(said("memory.quantisation_without_kernels", view)) is found


@pytest.mark.parametrize(
    ("flags", "capability", "found"),
    [
        ({"kv-cache-dtype": "fp8_e4m3"}, "7.0", True),
        ({"kv-cache-dtype": "fp8_e5m2"}, "7.0", False),
        ({"kv-cache-dtype": "fp8_e4m3"}, "8.0", False),
        ({"kv-cache-dtype": "fp8_e4m3", "attention-backend": "triton"}, "8.6", True),
        ({"kv-cache-dtype": "fp8_e4m3", "attention-backend": "triton"}, "8.9", False),
    ],
)
def test_fp8_kv(flags, capability, found):
    view = one({"model-path": "Qwen/Qwen3-8B", **flags}, on(capability))
    assert bool(said("memory.fp8_kv_without_kernels", view)) is found


def test_unified_memory():
    flags = {"model-path": "Qwen/Qwen3-8B", "enable-hierarchical-cache": True}
    assert len(said("memory.unified_memory", one(flags, on("12.1", "NVIDIA GB10")))) == 1
    assert said("memory.unified_memory", one(flags, on("10.0", "NVIDIA GB200"))) == []


ALLOWS = "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN"


@pytest.mark.parametrize(
    ("release", "model", "context", "keys", "severity"),
    [
        ("0.5.9", "Qwen/Qwen3-8B", 131072, {}, "error"),
        ("0.4.0", "Qwen/Qwen3-8B", 40961, {}, "error"),
        ("0.5.9", "Qwen/Qwen3-8B", 40960, {}, None),
        ("0.5.12", "Qwen/Qwen3-8B", "128k", {}, "error"),
        ("0.5.9", "/srv/models/Qwen3-8B", 131072, {}, "warning"),
        ("0.5.9", "Qwen/Qwen3-8B", 131072, {"environment-files": ["/etc/sglang/more.env"]}, "warning"),
        ("0.5.9", "Qwen/Qwen3-8B", 131072, {"environment": {ALLOWS: 1}}, None),
        ("0.5.9", "Qwen/Qwen3-8B", 131072, {"environment": {ALLOWS: "yes"}}, None),
        ("0.5.2", "Qwen/Qwen3-8B", 131072, {"environment": {ALLOWS: "yes"}}, "error"),
        ("0.5.9", "Qwen/Qwen3-8B", 131072, {"environment": {ALLOWS: "False"}}, "error"),
        ("0.4.3.post4", "Qwen/Qwen3-8B", 131072, {}, "error"),
        ("0.4.4", "Qwen/Qwen3-8B", 131072, {}, "warning"),
        ("0.4.10.post2", "Qwen/Qwen3-8B", 131072, {}, "warning"),
        ("0.4.10.post2", "Qwen/Qwen3-8B", 131072, {"environment": {ALLOWS: 1}}, None),
        ("0.4.10.post2", "Qwen/Qwen3-8B", 131072, {"environment": {ALLOWS: 0}}, "error"),
        ("0.5.1", "Qwen/Qwen3-8B", 131072, {}, "error"),
        ("0.5.9", "somebody/unknown", 131072, {}, None),
    ],
)
def test_a_context_that_the_model_does_not_have(release, model, context, keys, severity):
    keys = {name.replace("-", "_"): value for name, value in keys.items()}
    view = one({"model-path": model, "context-length": context}, on("9.0"), release=release, **keys)
    problems = said("memory.context_over_model", view)
    assert [problem.severity or Severity.ERROR for problem in problems] == ([Severity(severity)] if severity else [])


TARGET, DRAFT = "Qwen/Qwen3-Coder-480B-A35B-Instruct", "Qwen/Qwen3-0.6B"


@pytest.mark.parametrize(
    ("release", "flags", "keys", "severity"),
    [
        ("0.5.9", {}, {}, "error"),
        ("0.5.23", {}, {}, "error"),
        ("0.5.9", {"context-length": 40960}, {}, None),
        ("0.5.9", {"context-length": 40961}, {}, "error"),
        ("0.5.9", {"speculative-draft-model-path": "/srv/Qwen3-0.6B"}, {}, "warning"),
        ("0.5.9", {"speculative-draft-model-path": "somebody/unknown"}, {}, None),
        ("0.5.9", {"speculative-draft-model-path": TARGET}, {}, None),
        ("0.5.9", {"model-path": "/srv/Qwen3-Coder-480B-A35B-Instruct"}, {}, "warning"),
        ("0.5.9", {"json-model-override-args": {"a": 1}}, {}, None),
        ("0.5.9", {}, {"environment": {ALLOWS: 1}}, None),
        ("0.5.9", {}, {"environment_files": ["/etc/sglang/more.env"]}, "warning"),
        ("0.4.10.post2", {"speculative-algorithm": "EAGLE"}, {}, "warning"),
        ("0.4.3.post2", {"speculative-algorithm": "EAGLE"}, {}, None),
    ],
)
def test_a_draft_with_a_shorter_context(release, flags, keys, severity):
    speculative = {"speculative-algorithm": "STANDALONE", "speculative-draft-model-path": DRAFT}
    view = one({"model-path": TARGET, **speculative, **flags}, on("9.0"), release=release, **keys)
    problems = said("memory.draft_context_too_short", view)
    assert [problem.severity or Severity.ERROR for problem in problems] == ([Severity(severity)] if severity else [])


def test_overrides_of_the_configuration_may_make_the_context_longer():
    flags = {"model-path": "Qwen/Qwen3-8B", "context-length": 131072, "json-model-override-args": {"a": 1}}
    assert not said("memory.context_over_model", one(flags, on("9.0")))
