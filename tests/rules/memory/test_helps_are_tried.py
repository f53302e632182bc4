"""A help about ranks and fractions is followed to the letter: it comes to an end, and nothing is an error then."""

from __future__ import annotations

import re

import pytest

from rules.memory.hosts import gpus, host, one
from rules.said import said
from rules.views import facts
from sgfleet.findings import Severity
from sgfleet.memory.verdict import gpu_statements
from sgfleet.rules import registry
from sgfleet.rules.memory import _tried

A100 = facts(gpus=gpus(4, "NVIDIA A100-SXM4-80GB", 81920, "8.0"), memory={"total-bytes": 2**40})
B200 = facts(gpus=gpus(8, "NVIDIA B200", 183359, "10.0"), memory={"total-bytes": 2**40})
H100 = facts(gpus=gpus(4, "NVIDIA H100 80GB HBM3", 81559, "9.0"), memory={"total-bytes": 2**40})
L40S = facts(gpus=gpus(4), memory={"total-bytes": 2**39})
STEP = {"model-path": "stepfun-ai/Step-3.7-Flash-FP8", "trust-remote-code": True}
GLM = {"model-path": "zai-org/GLM-5-FP8"}
_CODES = ("MEM001", "MEM002", "MEM003", "MEM020", "MEM021")
_SIZE = re.compile(r"(tp-size|pp-size|ep-size|mem-fraction-static) ([\d.]+\d|\d)")
_WORKS = re.compile(r" works?| leaves every| divides them| fits, if")


def spoken(view):
    """(code, severity, help) of all rules about ranks and fractions."""
    return [
        (each.rule.code, problem.severity or each.rule.severity, problem.help)
        for each in registry.checks()["machine"]
        if each.rule.code in _CODES
        for problem in each.check(view)
    ]


def followed(flags, help_):
    """The flags as the help says; None where it names none that works. Of several the first one is taken."""
    if found := re.match(r"write a fraction from ([\d.]+) to", help_):
        return {**flags, "mem-fraction-static": float(found[1])}
    clause = next((each for each in re.split(r"[:;]", help_) if _WORKS.search(each) and "no " not in each), None)
    if clause is None and not help_.startswith("write mem"):
        return None
    named = _SIZE.findall(clause or help_)
    first = named[:1] if ", or " in (clause or "") else named
    return {**flags, **{flag: float(value) if "." in value else int(value) for flag, value in first}}


@pytest.mark.parametrize("release", ["0.5.12", "0.5.19"])
@pytest.mark.parametrize(
    ("flags", "known"),
    [
        *(({**STEP, "tp-size": size}, known) for size in (1, 2, 4) for known in (A100, H100)),
        *(({**GLM, "tp-size": size}, B200) for size in (1, 2, 4, 6, 8)),
        *(({"model-path": "Qwen/Qwen3-32B", "tp-size": size}, L40S) for size in (1, 2, 3)),
        ({"model-path": "Qwen/Qwen3-235B-A22B-FP8", "tp-size": 8}, B200),
        ({"model-path": "Qwen/Qwen3-8B", "mem-fraction-static": 0.2}, L40S),
        ({"model-path": "Qwen/Qwen3-8B", "mem-fraction-static": 0.99}, L40S),
    ],
    ids=str,
)
def test_following_one_help_after_another_ends_without_an_error(flags, known, release):
    seen = []
    while True:
        problems = [each for each in spoken(one(flags, known, release=release)) if each[1] is not Severity.NOTE]
        if not problems:
            return
        assert flags not in seen, "the helps go in a circle"
        seen.append(flags)
        assert all(help_ for _, _, help_ in problems)
        after = followed(flags, problems[0][2])
        if after is None:
            assert problems[0][2].startswith(("no ", "which ", "take a smaller")), problems
            return
        flags = after


def test_where_no_number_of_ranks_works_the_help_says_what_remains():
    (problem,) = said("memory.blocks_not_divided", one({**STEP, "tp-size": 4}, A100, release="0.5.12"))
    assert problem.help == (
        "no size works: tp-size 2 leaves every block whole, but then MEM001 says that the weights do not fit on the"
        " GPU: no mem-fraction-static works; tp-size 2 with pp-size 2 fits, if the release has stages for this model"
    )
    (problem,) = said("memory.weights_over_gpu", one({**STEP, "tp-size": 1}, A100, release="0.5.12"))
    assert "tp-size 4 works" not in problem.help
    assert "MEM021" in problem.help


def test_ranks_beyond_the_gpus_of_the_service_are_named_with_the_gpus_that_they_need():
    flags = {"model-path": "Qwen/Qwen3-32B", "tp-size": 1}
    (problem,) = said("memory.weights_over_gpu", one(flags, L40S, gpus=[0]))
    assert problem.help.startswith("tp-size 2 works, with 2 GPUs in gpus")


@pytest.mark.parametrize("fraction", [0.2, 0.6, 0.99])
@pytest.mark.parametrize("model", ["Qwen/Qwen3-8B", "Qwen/Qwen3-14B", "Qwen/Qwen3-30B-A3B-FP8"])
@pytest.mark.parametrize("release", ["0.4.6", "0.5.9", "0.5.23"])
def test_both_ends_of_a_range_of_fractions_work(fraction, model, release):
    flags = {"model-path": model, "mem-fraction-static": fraction}
    for rule in ("fraction_too_low", "fraction_too_high"):
        for problem in said(f"memory.{rule}", one(flags, L40S, release=release)):
            found = re.match(r"write a fraction from ([\d.]+) to ([\d.]+)", problem.help)
            for value in found.groups() if found else ():
                view = one({**flags, "mem-fraction-static": float(value)}, L40S, release=release)
                assert [each for each in spoken(view) if each[1] is not Severity.NOTE] == []


def test_an_error_as_large_as_the_value_is_no_advice():
    flags = {"model-path": "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4", "mem-fraction-static": 0.9,
             "speculative-algorithm": "EAGLE3",
             "speculative-draft-model-path": "Qwen/Qwen3-VL-2B-Instruct"}  # fmt: skip
    for rule in ("fraction_too_low", "fraction_too_high"):
        for problem in said(f"memory.{rule}", one(flags, A100, release="0.5.12")):
            for value, error in re.findall(r"([\d.]+) ± ([\d.]+\d)", f"{problem.message} {problem.help}"):
                assert float(error) < float(value), problem


def test_a_trial_asks_for_no_further_trial(monkeypatch):
    asked = []
    real = _tried.Tries.outcome
    monkeypatch.setattr(_tried.Tries, "outcome", lambda self, flags: asked.append(self.is_one) or real(self, flags))
    assert spoken(one({**STEP, "tp-size": 1}, A100, release="0.5.12"))
    assert asked
    assert not any(asked)
    assert len(asked) < 40


def test_the_other_services_are_not_computed_again():
    services = {name: {"flags": {"model-path": "Qwen/Qwen3-8B", "port": port}} for name, port in (("a", 1), ("b", 2))}
    views, _ = host(services, L40S)
    memory = views["a"].memory()
    kept = memory.budget("b")
    changed = memory.changed("a", {"tp-size": 2})
    assert changed.budget("b") is kept
    assert changed.service("a").settings.tp == 2
    assert memory.service("a").settings.tp == 1


def test_gpus_that_are_skipped_count():
    flags = {"model-path": "Qwen/Qwen3-32B", "tp-size": 1, "gpu-id-step": 4}
    (problem,) = said("memory.weights_over_gpu", one(flags, L40S))
    assert problem.help.startswith("tp-size 2 works, with a lower base-gpu-id or gpu-id-step")
    (problem,) = said("memory.heads_not_divided", one({"model-path": "Qwen/Qwen3-32B", "tp-size": 3}, L40S, gpus=[0]))
    assert problem.help == "tp-size 2 with 2 GPUs in gpus or 4 with 4 GPUs in gpus divides them"


@pytest.mark.parametrize("more", [{}, {"page-size": 48}, {"kv-cache-dtype": "fp8_e5m2"}, {"enable-dp-attention": True}])
@pytest.mark.parametrize("release", ["0.5.9", "0.5.16", "0.5.23"])
def test_a_backend_that_a_help_names_goes_with_the_other_flags(more, release):
    flags = {"model-path": "deepseek-ai/DeepSeek-V3", "tp-size": 8, "attention-backend": "trtllm_mla", **more}
    known = facts(gpus=gpus(8, "NVIDIA H200", 143771, "9.0"), memory={"total-bytes": 2**41})
    view = one(flags, known, release=release)
    before = {code for code, severity, _ in everything(view) if severity is not Severity.NOTE}
    (problem,) = said("memory.backend_without_kernels", view)
    for value in re.findall(r"flashinfer|triton", problem.help) if problem.help.startswith("write") else ():
        after = everything(one({**flags, "attention-backend": value}, known, release=release))
        assert {code for code, severity, _ in after if severity is not Severity.NOTE} <= before - {"MEM022"}


def everything(view):
    """(code, severity, help) of all rules of combinations and memory that look at one service."""
    return [
        (each.rule.code, problem.severity or each.rule.severity, problem.help)
        for stage in ("service", "machine")
        for each in registry.checks()[stage]
        if each.rule.code.startswith(("MEM", "CMB"))
        for problem in each.check(view)
    ]


def test_what_memory_names_is_what_check_takes():
    for fraction in (0.2, 0.37, 0.97, 0.99):
        flags = {"model-path": "Qwen/Qwen3-8B", "mem-fraction-static": fraction}
        for statement in gpu_statements(one(flags, L40S).memory().service("example")):
            found = re.fullmatch(r"fractions from ([\d.]+) to ([\d.]+) work", statement.help or "")
            for value in found.groups() if found else ():
                named = one({**flags, "mem-fraction-static": float(value)}, L40S)
                assert [each for each in spoken(named) if each[1] is not Severity.NOTE] == []
                texts = [each.text for each in gpu_statements(named.memory().service("example"))]
                assert [text for text in texts if "memory fraction" in text] == []


def test_fewer_ranks_for_the_gpus_that_there_are_divide_the_model():
    flags = {"model-path": "Qwen/Qwen3-32B", "tp-size": 4}
    (problem,) = said("service.more_ranks_than_gpus", one(flags, L40S, gpus=[0, 1, 2]))
    assert problem.help == "write tp-size 2, or write `gpus: [0, 1, 2, 3]`"
    (problem,) = said("service.more_ranks_than_gpus", one(flags, L40S, gpus=[0]))
    assert problem.help == "write `gpus: [0, 1, 2, 3]`"
