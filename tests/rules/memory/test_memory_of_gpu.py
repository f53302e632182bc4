"""Weights, fractions and contexts against GPUs: sure verdicts are errors, those inside the error of an estimate not."""

from __future__ import annotations

import pytest

from rules.memory.hosts import gpus, host, one
from rules.said import said
from rules.views import facts
from sgfleet.findings import Severity
from sgfleet.rules import registry

L40S = facts(gpus=gpus(4), memory={"total-bytes": 540_000_000_000})
QWEN = {"model-path": "Qwen/Qwen3-32B", "tp-size": 2}


def severities(rule, view):
    return [problem.severity or Severity.ERROR for problem in said(rule, view)]


def test_weights_that_no_fraction_makes_fit_name_the_ranks_that_do():
    (problem,) = said("memory.weights_over_gpu", one({**QWEN, "tp-size": 1}, L40S))
    assert problem.severity is None
    assert problem.help.startswith("tp-size 2 works: weights 30.")
    assert any("61." in line for line in problem.arithmetic)


def test_where_the_host_has_too_few_gpus_the_help_says_so():
    known = facts(gpus=gpus(1), memory={"total-bytes": 1})
    (problem,) = said("memory.weights_over_gpu", one({**QWEN, "tp-size": 1}, known))
    assert "on a host with 2 such GPUs" in problem.help


@pytest.mark.parametrize(("fraction", "expected"), [(0.5, [Severity.ERROR]), (0.85, []), (None, [])])
def test_a_fraction_below_the_window(fraction, expected):
    flags = QWEN if fraction is None else {**QWEN, "mem-fraction-static": fraction}
    assert severities("memory.fraction_too_low", one(flags, L40S)) == expected


def test_a_fraction_inside_the_error_of_the_estimate_is_a_warning():
    view = one(QWEN, L40S)
    window = view.memory().window("example")
    assert window.low_error > 0
    for value, expected in (
        (window.low - window.low_error / 2, Severity.WARNING),
        (window.low + window.low_error / 2, Severity.WARNING),
        (window.low - 2 * window.low_error, Severity.ERROR),
    ):
        near = one({**QWEN, "mem-fraction-static": round(value, 4)}, L40S)
        assert severities("memory.fraction_too_low", near) == [expected]


def test_a_fraction_above_the_window_is_the_other_way_to_run_out():
    view = one({**QWEN, "mem-fraction-static": 0.995}, L40S)
    assert said("memory.fraction_too_low", view) == []
    (problem,) = said("memory.fraction_too_high", view)
    assert "graphs and activations" in problem.message
    assert said("memory.fraction_too_high", one({**QWEN, "mem-fraction-static": 0.85}, L40S)) == []


def test_the_fraction_that_the_help_names_works():
    (problem,) = said("memory.fraction_too_low", one({**QWEN, "mem-fraction-static": 0.5}, L40S))
    low, high = problem.help.removeprefix("write a fraction from ").split(" to ")
    for value in (float(low), float(high)):
        view = one({**QWEN, "mem-fraction-static": value}, L40S)
        assert said("memory.fraction_too_low", view) == []
        assert said("memory.fraction_too_high", view) == []


def test_a_context_that_is_asked_for_is_a_warning_and_the_models_own_a_note():
    flags = {"model-path": "Qwen/Qwen3-8B", "mem-fraction-static": 0.45}
    (own,) = said("memory.context_over_kv_pool", one(flags, L40S))
    (asked,) = said("memory.context_over_kv_pool", one({**flags, "context-length": 40960}, L40S))
    assert own.severity is Severity.NOTE
    assert asked.severity is None


def test_services_that_share_a_gpu_are_started_in_both_orders():
    flags = {"model-path": "Qwen/Qwen3-8B", "mem-fraction-static": 0.45}
    services = {name: {"flags": {**flags, "port": port}, "gpus": [0]} for name, port in (("a", 1), ("b", 2))}
    _, whole = host(services, L40S)
    (problem,) = said("memory.shared_gpu", whole)
    assert len(problem.arithmetic) == 2
    assert problem.arithmetic[0].startswith("a first")
    _, apart = host({**services, "b": {**services["b"], "gpus": [1]}}, L40S)
    assert said("memory.shared_gpu", apart) == []


def test_of_several_on_one_gpu_the_worst_is_reported():
    small = {"flags": {"model-path": "Qwen/Qwen3-0.6B", "mem-fraction-static": 0.45, "port": 1}, "gpus": [0]}
    large = {**small, "flags": {**small["flags"], "mem-fraction-static": 0.9, "port": 2}}
    last = {**small, "flags": {**small["flags"], "port": 3}}
    _, view = host({"small": small, "large": large, "last": last}, L40S)
    _, problem = said("memory.shared_gpu", view)
    assert problem.message == (
        "large and last share a GPU: the one that starts second gets 4,696 KV tokens or more"
        " (the worst of 2 that share with last)"
    )
    assert problem.related[0][1] == "large"


def test_nothing_is_said_of_what_is_not_known():
    for view in (
        one({"model-path": "/models/nobody-knows"}, L40S),
        one(QWEN, None),
        one(QWEN, facts(memory={"total-bytes": 1})),
    ):
        for rule in ("weights_over_gpu", "fraction_too_low", "fraction_too_high", "context_over_kv_pool"):
            assert said(f"memory.{rule}", view) == []


def test_a_model_that_is_not_known_is_a_note_and_no_facts_are_another_rules():
    (problem,) = said("memory.memory_not_checked", one({"model-path": "/models/nobody-knows"}, L40S))
    assert problem.message.startswith("not checked: memory")
    assert said("memory.memory_not_checked", one({"model-path": "/models/nobody-knows"}, None)) == []
    assert said("memory.memory_not_checked", one(QWEN, L40S)) == []


def test_a_gpu_with_next_to_no_memory_is_no_basis():
    known = facts(gpus=gpus(2, memory_mib=1), memory={"total-bytes": 1})
    view = one(QWEN, known)
    assert said("memory.weights_over_gpu", view) == []
    (problem,) = said("memory.memory_not_checked", view)
    assert problem.message.startswith("not checked: memory of the GPU")


@pytest.mark.parametrize("memory_mib", [1, 80, 500, 701, 711, 720, 800, 2000, 10**9])
@pytest.mark.parametrize("flags", [{}, {"tp-size": 2}, {"enable-hierarchical-cache": True}])
@pytest.mark.parametrize("release", ["0.4.6", "0.5.2", "0.5.9", "0.5.23"])
def test_any_memory_of_a_gpu_has_a_verdict(memory_mib, flags, release):
    there = facts(gpus=gpus(2, memory_mib=memory_mib), memory={"available-bytes": 2**37})
    flags = {"model-path": "Qwen/Qwen3-8B", **flags}
    views, whole = host({"example": {"flags": flags, "release": release}}, there)
    for stage, view in (("machine", views["example"]), ("host", whole)):
        for each in registry.checks()[stage]:
            list(each.check(view))


def test_less_memory_than_the_overhead_says_so():
    flags = {"model-path": "Qwen/Qwen3-8B"}
    (problem,) = said("memory.memory_not_checked", one(flags, facts(gpus=gpus(2, memory_mib=80))))
    assert "80 MiB of GPU memory are less than the 0.68 GiB that context and collectives take" in problem.message
    assert "MiB" in problem.help
    (problem,) = said("memory.memory_not_checked", one({**flags, "tp-size": 1000}, facts(gpus=gpus(2))))
    assert "of 1,000 ranks" in problem.message
    assert problem.help.startswith("fewer ranks")


@pytest.mark.parametrize(
    ("flags", "flag"),
    [({"context-length": 99_999_999_999_999_999_999}, "context-length"), ({"dp-size": 99_999_999}, "dp-size")],
)
def test_a_flag_that_cannot_be_used_is_named(flags, flag):
    (problem,) = said("memory.memory_not_checked", one({"model-path": "Qwen/Qwen3-8B", **flags}, facts(gpus=gpus(1))))
    assert problem.message.startswith(f"not checked: memory: {flag} decides about it")
    assert str(flags[flag]) in problem.arithmetic[0]


def test_a_service_that_finds_nothing_left_has_no_room():
    """The first one does not fit itself, or takes all that there is."""
    alone = facts(gpus=gpus(1), memory={"total-bytes": 270_000_000_000})
    small = {"model-path": "Qwen/Qwen3-8B", "port": 1}
    for first, apart in (({"model-path": "Qwen/Qwen3-32B"}, True), ({**small, "mem-fraction-static": 0.99}, False)):
        services = {"one": {"flags": first, "gpus": [0]}, "two": {"flags": {**small, "port": 2}, "gpus": [0]}}
        (problem,) = said("memory.shared_gpu", host(services, alone)[1])
        assert problem.severity is None
        assert problem.message == "one and two share a GPU: the one that starts second has no room for a KV pool"
        assert problem.arithmetic[0].startswith("one first: 0.00 GiB are left")
        assert problem.help.startswith("give each a GPU of its own") == apart


def divided(*sizes, **gpu):
    """One H100 that MIG divides into instances of these sizes, MiB."""
    (card,) = gpus(1, "NVIDIA H100 80GB HBM3", 81559, "9.0")
    instances = [{"profile": "a", **({"memory-mib": size} if size else {})} for size in sizes]
    return facts(gpus=[card | {"mig": True, "mig-instances": instances} | gpu], memory={"total-bytes": 2**39})


@pytest.mark.parametrize(
    ("model", "sizes", "expected"),
    [
        ("Qwen/Qwen3-32B", (9984,), True),
        ("Qwen/Qwen3-8B", (9984, 9984), True),
        ("Qwen/Qwen3-8B", (9984, 40448), False),
        ("Qwen/Qwen3-8B", (9984, None), False),
        ("Qwen/Qwen3-8B", (), False),
        ("Qwen/Qwen3-0.6B", (9984,), False),
    ],
)
def test_a_gpu_that_mig_divides_has_no_budget_as_a_whole(model, sizes, expected):
    view = one({"model-path": model}, divided(*sizes))
    found = said("memory.weights_over_gpu", view)
    assert [problem.severity for problem in found] == [None] * expected
    assert all("largest MIG instance" in problem.message for problem in found)
    (note,) = said("memory.memory_not_checked", view)
    assert note.message.startswith("not checked: memory of the GPU: GPU 0 is divided by MIG")
    for rule in ("fraction_too_low", "fraction_too_high", "context_over_kv_pool"):
        assert said(f"memory.{rule}", view) == []


def test_mig_that_is_off_or_on_another_gpu_does_not_count():
    off = divided(9984, mig=False)
    assert said("memory.memory_not_checked", one({"model-path": "Qwen/Qwen3-8B"}, off)) == []
    first, second = gpus(2, "NVIDIA H100 80GB HBM3", 81559, "9.0")
    both = facts(gpus=[first | {"mig": True}, second], memory={"total-bytes": 2**39})
    assert said("memory.memory_not_checked", one({"model-path": "Qwen/Qwen3-8B"}, both, gpus=[1])) == []
    assert said("memory.memory_not_checked", one({"model-path": "Qwen/Qwen3-8B"}, both, gpus=[0])) != []


def test_a_start_on_an_instance_tells_what_is_free():
    known = facts(
        gpus=divided(40448).model_dump(by_alias=True, exclude_defaults=True)["gpus"],
        memory={"total-bytes": 2**39},
        observed={"example": {"release": "0.5.9", "free-before-gib-min": 38.9}},
    )
    view = one({"model-path": "Qwen/Qwen3-8B", "mem-fraction-static": 0.8}, known)
    assert said("memory.memory_not_checked", view) == []
    assert view.memory().budget("example").free_before.origin == "measured"
