"""Values that helps of combinations name: never the one complained of, never one that the same rule refuses."""

from __future__ import annotations

import pytest

from rules.said import said
from rules.views import service

DP, LM = {"enable-dp-attention": True}, {"enable-dp-lm-head": True}
HICACHE = {"enable-hierarchical-cache": True}
LORA = {"enable-lora": True, "lora-paths": [f"a{n}=/l/{n}" for n in range(20)]}
A2A = {"moe-a2a-backend": "flashinfer", "tp-size": 8, "dp-size": 8, **DP}


@pytest.mark.parametrize(
    ("rule", "release", "flags", "helps"),
    [
        ("attention_dp", "0.5.1", {**DP, "tp-size": 8}, ["write dp-size as one of 2, 4, 8"]),
        ("attention_dp", "0.5.12", {**DP, "tp-size": 8, "dp-size": 1}, ["write dp-size as one of 2, 4, 8"]),
        ("attention_dp", "0.5.12", {**DP, "tp-size": 2}, ["write dp-size 2"]),
        ("attention_dp", "0.5.12", DP, ["remove enable-dp-attention"]),
        ("attention_dp", "0.5.12", {**DP, "dp-size": 1}, ["remove enable-dp-attention and dp-size"]),
        ("attention_dp", "0.5.12", {**DP, "dp-size": 3}, ["remove enable-dp-attention and dp-size"]),
        ("attention_dp", "0.5.12", {**DP, "tp-size": 8, "max-running-requests": 5}, ["write dp-size as one of 2, 4"]),
        ("attention_dp", "0.5.12", {**DP, "tp-size": 8, "dp-size": 3}, ["write dp-size as one of 2, 4, 8"]),
        ("attention_dp", "0.5.23", {"tp-size": 4, "attn-dp-size": 3}, ["write attn-dp-size as one of 2, 4"]),
        ("attention_dp", "0.5.9", {**LM, "tp-size": 4, "dp-size": 2}, ["add `enable-dp-attention: true`"]),
        ("attention_dp", "0.5.9", {**LM, "tp-size": 4, "dp-size": 3},
         ["add `enable-dp-attention: true` and `dp-size: 4`"]),
        ("attention_dp", "0.5.1", LM, ["remove enable-dp-lm-head"]),
        ("expert_parallelism", "0.5.9", {"enable-eplb": True},
         ["remove enable-eplb: one rank has no experts to balance"]),
        ("expert_parallelism", "0.5.9", {"enable-eplb": True, "tp-size": 8}, ["write `ep-size: 8`"]),
        ("expert_parallelism", "0.5.9", A2A, ["write `moe-runner-backend: flashinfer_cutlass`"]),
        ("expert_parallelism", "0.5.9", {**A2A, "quantization": "fp8"},
         ["remove moe-a2a-backend: no such runner works with quantization fp8"]),
        ("expert_parallelism", "0.5.21", {**A2A, "quantization": "fp8"},
         ["write `moe-runner-backend: flashinfer_cutedsl`"]),
        ("attention_backend", "0.5.5", {"attention-backend": "fa4"},
         ["write `prefill-attention-backend: fa4` in its place"]),
        ("several_nodes", "0.5.9", {"node-rank": 1}, ["write 0, or more nnodes"]),
        ("lora", "0.5.9", {**LORA, "max-loaded-loras": 4, "max-loras-per-batch": 8}, ["write at least 20"] * 2),
        ("hicache_size_over_ratio", "0.5.9", {**HICACHE, "hicache-ratio": 1.0, "hicache-size": 40},
         ["remove hicache-ratio"]),
        ("hicache_size_over_ratio", "0.5.9", {**HICACHE, "hicache-ratio": 2.0, "hicache-size": 40},
         ["remove hicache-ratio; or hicache-size, which is 40 GB (10**9 bytes) for every rank"]),
    ],
)  # fmt: skip
def test_helps(rule, release, flags, helps):
    assert [each.help for each in said(f"combinations.{rule}", service(flags, release=release))] == helps


def test_no_size_is_small_enough():
    flags, unit = {**HICACHE, "hicache-size": 9, "tp-size": 8}, {"memory-max": "10GiB"}
    (problem,) = said("combinations.hicache_size_per_rank", service(flags, unit=unit))
    assert problem.help.endswith("raise it, or remove enable-hierarchical-cache and hicache-size")
    off = service({"hicache-size": 9, "tp-size": 8}, unit=unit)
    assert said("combinations.hicache_size_per_rank", off) == []
