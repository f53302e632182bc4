"""Weights that cpu-offload-gb moves into RAM, held against the RAM that there is."""

from __future__ import annotations

import re

import pytest

from memory.cases import settings
from rules.memory.hosts import gpus, host, one
from rules.said import said
from rules.views import facts
from sgfleet.memory.of_host import Unknown
from sgfleet.memory.offload import least_offloaded

GIB = 2**30
RULE = "memory.offload_over_ram"


def known(gib, count=4):
    return facts(gpus=gpus(count), memory={"total-bytes": gib * GIB})


def of(offload, gib, **flags):
    return one({"model-path": "Qwen/Qwen3-32B", "cpu-offload-gb": offload, **flags}, known(gib))


@pytest.mark.parametrize(
    ("offload", "gib", "tp"), [(40, 32, 1), (500, 32, 1), (20, 40, 4), (9, 32, 4), (40, 10, 1), (1, 3, 4)]
)
def test_what_does_not_fit_is_an_error_and_its_help_works(offload, gib, tp):
    (problem,) = said(RULE, of(offload, gib, **{"tp-size": tp}))
    found = re.fullmatch(r"cpu-offload-gb (\d+) is the largest that RAM has room for", problem.help)
    if found is None:
        assert problem.help == "remove cpu-offload-gb: no value fits"
        return
    assert said(RULE, of(int(found[1]), gib, **{"tp-size": tp})) == []


def test_what_fits_is_none():
    assert said(RULE, of(20, 64)) == []
    assert said(RULE, of(0, 1)) == []


def test_no_more_than_the_weights_of_the_layers_is_moved():
    assert said(RULE, of(500, 70)) == []
    (problem,) = said(RULE, of(500, 40))
    assert "weights of its layers" in problem.arithmetic[0]


def test_a_model_whose_layers_need_not_be_moved_is_not_judged():
    assert said(RULE, one({"model-path": "mistralai/Mixtral-8x22B-v0.1", "cpu-offload-gb": 40}, known(10))) == []


def test_without_the_ram_nothing_is_said():
    there = facts(gpus=gpus(1), memory={})
    assert said(RULE, one({"model-path": "Qwen/Qwen3-32B", "cpu-offload-gb": 40}, there)) == []


def test_all_services_of_the_host_count():
    flags = {"model-path": "Qwen/Qwen3-32B", "cpu-offload-gb": 40}
    services = {
        "a": {"flags": flags, "gpus": [0], "release": "0.5.9"},
        "b": {"flags": {**flags, "port": 2}, "gpus": [1], "release": "0.5.9"},
    }
    views, _ = host(services, known(70))
    for view in views.values():
        (problem,) = said(RULE, view)
        assert "offloaded by other services 40.00 GiB" in problem.arithmetic
    assert all(said(RULE, view) == [] for view in host(services, known(90))[0].values())
    assert all(said(RULE, view) for view in host(services, known(30))[0].values())


def test_the_bound_is_that_of_a_rank():
    service = of(500, 64, **{"tp-size": 4}).memory().service("example")
    assert not isinstance(service, Unknown)
    whole = of(500, 64).memory().service("example")
    assert not isinstance(whole, Unknown)
    assert 0 < least_offloaded(service) < least_offloaded(whole) < whole.load.weights.largest
    assert settings("0.5.9", cpu_offload_gb=4).offload_bytes == 4 * GIB
