"""A size or a time that a help names is one that the file takes, and with it the finding is gone."""

from __future__ import annotations

import re

import pytest

from rules.memory.hosts import gpus, host
from rules.views import facts
from sgfleet.rules import registry
from sgfleet.spec.quantities import duration_seconds, size_bytes

L40S = facts(gpus=gpus(2), memory={"total-bytes": 135_000_000_000, "available-bytes": 128_000_000_000})
POOLS = {"model-path": "Qwen/Qwen3-8B", "tp-size": 2, "enable-hierarchical-cache": True}
SIZE = re.compile(r"(?:of at least|such as) ([\d.,]+ ?[kKMGT]?i?B)")
TIME = re.compile(r"budget: ([^}]+)}")


def helps(code, flags, unit, known=L40S):
    """What the rule proposes for a service of this unit."""
    views, whole = host({"example": {"flags": flags, "unit": unit}}, known)
    stages = {"service": views["example"], "machine": views["example"], "host": whole}
    checks = [(each, view) for stage, view in stages.items() for each in registry.checks()[stage]]
    return [problem.help for each, view in checks if each.rule.code == code for problem in each.check(view)]


@pytest.mark.parametrize(
    ("code", "flags", "unit", "key"),
    [
        ("MEM013", {**POOLS, "hicache-ratio": 1.3}, {"memory-max": "32GiB"}, "memory-max"),
        ("MEM013", {**POOLS, "hicache-ratio": 1.07}, {"memory-max": "1GiB"}, "memory-max"),
        ("MEM013", {**POOLS, "hicache-ratio": 1.3}, {"memory-high": "32GiB"}, "memory-high"),
        ("MEM013", {**POOLS, "hicache-size": 15}, {"memory-max": "32GiB"}, "memory-max"),
        ("UNT010", POOLS, {"memory-max": "54GiB", "memory-high": "54GiB"}, "memory-high"),
        ("UNT010", POOLS, {"memory-max": "7MiB", "memory-high": "54GiB"}, "memory-high"),
    ],
)
def test_sizes(code, flags, unit, key):
    (said,) = helps(code, flags, unit)
    (value,) = SIZE.findall(said)
    assert size_bytes(value) > 0
    assert helps(code, flags, {**unit, key: value}) == []


def test_a_bound_that_the_host_has_no_ram_for_is_not_proposed():
    (said,) = helps("MEM013", {**POOLS, "hicache-ratio": 8.0}, {"memory-max": "100GiB"})
    assert "memory-max" not in said
    assert "hicache-ratio" in said


@pytest.mark.parametrize("time", ["0s", "10m", "1h30m"])
def test_times(time):
    (said,) = helps("UNT002", POOLS, {"timeout-start-sec": time})
    for value in TIME.findall(said):
        assert duration_seconds(value) > 0
