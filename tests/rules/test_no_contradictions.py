"""What one rule calls idle, no other rule tells an effect of."""

from __future__ import annotations

import pytest

from rules.memory.hosts import gpus, one
from rules.views import facts
from sgfleet.engine import store
from sgfleet.findings import Severity
from sgfleet.rules.combinations import idle_flag
from sgfleet.rules.registry import checks

RELEASES = ("0.5.9", store.available()[-1])
KNOWN = facts(gpus=gpus(8, "NVIDIA H100", 81559, "9.0"), memory={"total-bytes": 2**40, "available-bytes": 2**39})
BESIDE = {
    "": ({}, {"disable-radix-cache": True, "disable-cuda-graph": True, "chunked-prefill-size": -1}),
    "hicache-": (
        {"hicache-io-backend": "kernel"},
        {"hicache-io-backend": "direct", "hicache-storage-backend": "mooncake"},
    ),
}
"""Beginning of an idle flag's name -> what may go together with it, or turns features off. No set turns one on."""


def _values(flag):
    """Values that a rule may have something to say of."""
    if flag.nargs == 0:
        return [True]
    return [each for each in flag.choices if each is not None] if flag.choices else [2, 0.5, "x"]


def _said(view):
    for stage in ("service", "machine"):
        for each in checks()[stage]:
            for problem in each.check(view):
                yield each.rule.code, problem.severity or each.rule.severity, problem


def _contradicted(release, name, value, beside):
    declared = store.load(release).by_name
    flags = {key: on for key, on in beside.items() if key in declared and key != name}
    flags |= {"model-path": "Qwen/Qwen3-32B", "tp-size": 8, name: value}
    view = one(flags, KNOWN, release=release, unit={"limit-memlock": "8MiB"})
    route = ("flags", name)
    idle = any(problem.route == route for problem in idle_flag.check(view))
    said = list(_said(view)) if idle else []
    refused = any(grave is Severity.ERROR for _, grave, _ in said)
    if not idle or refused:  # what the release refuses, it refuses for an idle flag too
        return
    for code, _, problem in said:
        routes = (problem.route, *(way for way, _ in problem.related))
        about = route in [way[:2] for way in routes] or name in problem.message
        if about and code.startswith(("CMB", "MEM", "UNT")) and code != idle_flag.RULE.code:
            yield f"{code}: {problem.message}"


@pytest.mark.parametrize("release", RELEASES)
def test_nothing_tells_an_effect_of_an_idle_flag(release):
    found = {}
    declared = store.load(release).by_name
    for name, flag in declared.items():
        if not idle_flag._features(flag.name):
            continue
        for value in _values(flag):
            for beside in (each for start, sets in BESIDE.items() if name.startswith(start) for each in sets):
                if said := list(_contradicted(release, name, value, beside)):
                    found[name, value] = said
    assert found == {}
