"""Host pools against RAM, policy, the release's own check and the limits of the unit."""

from __future__ import annotations

import pytest

from rules.memory.hosts import gpus, host, one
from rules.said import said
from rules.views import facts
from sgfleet.findings import Severity

GIB = 2**30
FLAGS = {"model-path": "Qwen/Qwen3-8B", "tp-size": 2, "enable-hierarchical-cache": True}


def known(available_gib=120, **keys):
    return facts(gpus=gpus(4), memory={"available-bytes": available_gib * GIB}, **keys)


def whole(flags, there, **keys):
    return host({"example": {"flags": {**FLAGS, **flags}, **keys}}, there)[1]


def test_pools_that_do_not_fit_name_the_ratio_that_does():
    (problem,) = said("memory.host_pools_over_ram", whole({"hicache-ratio": 4.0}, known()))
    assert problem.severity is None
    ratio = float(problem.help.split()[1])
    again = whole({"hicache-ratio": ratio}, known())
    assert said("memory.host_pools_over_ram", again) == []
    assert said("memory.host_ram_reserve", again) == []


def test_pools_of_all_services_count():
    flags = {**FLAGS, "hicache-ratio": 1.2}
    services = {"a": {"flags": flags, "gpus": [0, 1]}, "b": {"flags": {**flags, "port": 2}, "gpus": [2, 3]}}
    assert said("memory.host_pools_over_ram", whole({"hicache-ratio": 1.2}, known(100))) == []
    (problem,) = said("memory.host_pools_over_ram", host(services, known(100))[1])
    assert {line.split(":")[0] for line in problem.arithmetic} >= {"a", "b"}


def test_less_than_the_policys_reserve():
    view = whole({"hicache-ratio": 2.0}, known())
    assert said("memory.host_pools_over_ram", view) == []
    (problem,) = said("memory.host_ram_reserve", view)
    assert "policy keeps 32.00 GiB" in problem.message


def test_a_size_smaller_than_the_gpus_pool_is_refused_until_0_5_14():
    for release, expected in (("0.5.9", 1), ("0.5.15", 0)):
        view = one({**FLAGS, "hicache-size": 2}, known(), release=release)
        assert len(said("memory.engine_refuses_pool", view)) == expected


def test_the_order_of_ranks_decides_in_0_5_20_and_the_help_is_safe():
    there = facts(gpus=gpus(4), memory={"available-bytes": 200 * GIB})
    flags = {**FLAGS, "tp-size": 4, "model-path": "Qwen/Qwen3-8B", "hicache-ratio": 1.2, "mem-fraction-static": 0.8}
    view = one(flags, there, release="0.5.20")
    (problem,) = said("memory.engine_refuses_pool", view)
    assert problem.severity is Severity.WARNING
    assert "order" in problem.message


@pytest.mark.parametrize(
    ("rule", "unit", "expected"),
    [
        ("host_pool_over_cgroup", {"memory-max": "16GiB"}, [None]),
        ("host_pool_over_cgroup", {"memory-max": "400GiB"}, []),
        ("host_pool_over_memlock", {"limit-memlock": "4GiB"}, [None]),
        ("host_pool_over_memlock", {"limit-memlock": "infinity"}, []),
    ],
)
def test_limits_of_the_unit(rule, unit, expected):
    view = one({**FLAGS, "hicache-ratio": 1.3}, known(), unit=unit)
    assert [problem.severity for problem in said(f"memory.{rule}", view)] == expected


def test_a_numa_node_holds_the_pools_of_its_ranks():
    there = facts(gpus=gpus(4, nodes=(0, 0, 1, 1)), memory={"available-bytes": 120 * GIB})
    flags = {**FLAGS, "hicache-ratio": 1.3}
    (problem,) = said("memory.host_pool_over_numa_node", one(flags, there))
    assert "NUMA node 0" in problem.message
    assert said("memory.host_pool_over_numa_node", one(flags, there, release="0.5.10")) == []


def test_nodes_that_are_not_known_are_said():
    (problem,) = said("memory.memory_not_checked", one({**FLAGS, "hicache-ratio": 1.3}, known()))
    assert "NUMA" in problem.message
    (problem,) = said("memory.memory_not_checked", one(FLAGS, facts(gpus=gpus(2)), release="0.5.12"))
    assert "how much RAM the host has is not known" in problem.message


def test_pools_that_fit_by_the_estimate_alone_may_not_fit():
    fits = whole({"hicache-ratio": 1.2}, known())
    pools = next(iter(fits.services.values())).memory().host.pinned_bytes
    near = facts(gpus=gpus(4), memory={"available-bytes": int(pools * 1.005)})
    flags = {"example": {"flags": {**FLAGS, "hicache-ratio": 1.2}}}
    (problem,) = said("memory.host_pools_over_ram", host(flags, near, {"reserve": {"host-ram": "0GiB"}})[1])
    assert problem.severity is Severity.WARNING
    assert " ± " in problem.message
