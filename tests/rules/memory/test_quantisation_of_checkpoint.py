"""`quantization` beside checkpoints whose own is known."""

from __future__ import annotations

import pytest

from rules.memory.hosts import gpus, one
from rules.said import said
from rules.views import facts
from sgfleet.engine import store
from sgfleet.findings import Severity
from sgfleet.rules.memory.quantisation_of_checkpoint import NEEDS_FILE, RULE, TAKEN

KNOWN = facts(gpus=gpus(8, "NVIDIA H100", 81559, "9.0"))
ERROR, WARNING = RULE.severity, Severity.WARNING
NO_CHOICE = {("compressed-tensors", "0.4.6"), ("modelopt_fp8", "0.4.6")}
"""What a release does not have yet."""


def _severities(model, asked, release="0.5.9", **flags):
    flags = {"model-path": model, "tp-size": 8, "quantization": asked, **flags}
    found = said("memory.quantisation_of_checkpoint", one(flags, KNOWN, release=release))
    return [each.severity or ERROR for each in found]


@pytest.mark.parametrize("release", ["0.4.6", "0.5.9", "0.5.18", "0.5.23"])
@pytest.mark.parametrize(
    ("model", "asked", "severity"),
    [
        ("Qwen/Qwen3-32B-FP8", "awq", ERROR),
        ("Qwen/Qwen3-32B-FP8", "awq_marlin", ERROR),
        ("Qwen/Qwen3-32B-FP8", "gptq_marlin", ERROR),
        ("Qwen/Qwen3-32B-FP8", "w8a8_fp8", ERROR),
        ("Qwen/Qwen3-32B-FP8", "fp8", None),
        ("Qwen/Qwen3-32B-FP8", "gguf", None),
        ("/srv/models/Qwen3-32B-FP8", "awq", ERROR),
        # A folder that is called like the plain model may hold another one.
        ("/srv/models/Qwen3-8B", "awq", WARNING),
        ("Qwen/Qwen3-8B", "awq", ERROR),
        ("Qwen/Qwen3-8B", "gptq_marlin", ERROR),
        ("Qwen/Qwen3-8B", "compressed-tensors", ERROR),
        ("/srv/models/Qwen3-8B", "compressed-tensors", WARNING),
        # These convert at load, or may.
        ("Qwen/Qwen3-8B", "fp8", None),
        ("Qwen/Qwen3-8B", "w8a8_int8", None),
        ("Qwen/Qwen3-8B", "bitsandbytes", None),
        ("Qwen/Qwen3-8B", "modelopt_fp8", None),
        ("moonshotai/Kimi-K2.5", "awq", None),
        ("nvidia/Llama-3.1-70B-Instruct-FP8", "awq", None),
        ("/models/nobody-knows", "awq", None),
    ],
)
def test_verdicts(model, asked, severity, release):
    if (asked, release) in NO_CHOICE:  # rules/flags refuse it
        assert asked not in store.load(release).by_name["quantization"].choices
        return
    assert _severities(model, asked, release) == ([severity] if severity else [])


def test_what_a_release_takes_for_another_method():
    assert _severities("Qwen/Qwen3-32B-FP8", "modelopt_fp4", "0.5.17") == [ERROR]
    assert _severities("Qwen/Qwen3-32B-FP8", "modelopt_fp4", "0.5.18") == []


def test_a_configuration_that_is_overridden_is_not_judged():
    assert _severities("Qwen/Qwen3-8B", "awq", **{"json-model-override-args": '{"quantization_config": {}}'}) == []


def test_every_method_of_the_tables_is_a_choice_of_some_release():
    known = {
        each for version in store.available() for each in store.load(version).by_name["quantization"].choices or ()
    }
    assert {*NEEDS_FILE, *(each for taken in TAKEN.values() for each in taken)} <= known
