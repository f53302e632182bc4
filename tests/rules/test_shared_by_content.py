"""Hosts that are alike share what rules do not say, and nothing else: no answer depends on what was checked before."""

from __future__ import annotations

import datetime
import gc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sgfleet.findings import Severity
from sgfleet.fleet.check import FleetCheck
from sgfleet.fleet.memories import Memories
from sgfleet.fleet.selection import Selection
from sgfleet.fleet.workspace import Workspace
from sgfleet.rules import runner, shared
from sgfleet.rules.host_check import check_host
from sgfleet.rules.registry import Check
from sgfleet.rules.rule import Problem, Rule

HOST = """host: {name}
services:
  chat:
    release: "0.5.9"
    python: /opt/sglang/bin/python3
    {more}
    flags:
      model-path: Qwen/Qwen3-8B
      {flag}
"""
FACTS = """format: 1
host: {name}
gpus:
  - {{index: 0, name: NVIDIA L40S, memory-mib: {mib}, compute-capability: "8.9"}}
memory: {{total-bytes: {ram}, available-bytes: {ram}}}
"""
PARTS = {
    "more": ["why: one", "why: two", "gpus: [0, 1]", "user: nobody", "waive: [{code: FLG001, reason: because it is}]"],
    "flag": ["port: 30000", "port: 080", "prot: 1", "enable-hierarchical-cache: true", "tp-size: 2", "tp-size: 2.0"],
    "mib": ["46068", "9000"],
    "ram": ["500000000000", "9000000000"],
}


def fleet(root, hosts):
    """Write hosts, each with its parts, and give the workspace."""
    for number, parts in enumerate(hosts):
        folder = root / "hosts" / f"h-{number}"
        folder.mkdir(parents=True)
        said = {part: values[0] for part, values in PARTS.items()} | parts | {"name": f"h-{number}"}
        (folder / "host.yaml").write_text(HOST.format(**said))
        (folder / "facts.yaml").write_text(FACTS.format(**said))
    return Workspace(root)


@pytest.fixture
def called(monkeypatch):
    """Which rules are called for which host: one that speaks, one that breaks and one that is silent, at each stage."""
    found = []

    def rule(stage, number, act):
        def check(view):
            found.append((view.host, f"{stage}-{act.__name__}"))
            yield from act(view)

        return Check(Rule(f"AAA{number:03}", f"rule-{number}", Severity.NOTE, stage), check)

    def speaks(view):
        yield Problem((), f"on {view.host}", based_on=("it",))

    def breaks(_view):
        raise KeyError

    def nothing(_view):
        return ()

    acts = (speaks, breaks, nothing)
    stages = {s: tuple(rule(s, n, act) for n, act in enumerate(acts)) for s in ("service", "machine", "host")}
    monkeypatch.setattr(runner, "checks", lambda: stages | {"fleet": ()})
    return found


def checked(workspace, count):
    check = FleetCheck(workspace, Selection())
    return [check.host(f"h-{number}") for number in range(count)]


def test_the_second_of_two_that_are_alike_is_asked_only_what_speaks(tmp_path, called):
    first, second = checked(fleet(tmp_path, [{}, {}]), 2)
    assert [what for host, what in called if host == "h-1"] == [
        f"{stage}-{act}" for stage in ("service", "machine", "host") for act in ("speaks", "breaks")
    ]
    assert len([1 for host, _ in called if host == "h-0"]) == 9
    assert {each.message for each in second.findings} == {"on h-1"}
    assert len(first.crashes) == len(second.crashes) == 3
    assert {each.subject for each in second.crashes} == {"h-1/chat", "h-1"}


@pytest.mark.parametrize(
    ("parts", "silent"),
    [
        ({}, set()),
        ({"more": "why: two"}, {"service", "machine", "host"}),
        ({"flag": "tp-size: 2"}, {"service", "machine", "host"}),
        ({"mib": "9000"}, {"machine", "host"}),
        ({"ram": "9000000000"}, {"machine", "host"}),
    ],
)
def test_who_differs_in_what_a_stage_may_look_at_is_asked(tmp_path, called, parts, silent):
    checked(fleet(tmp_path, [{}, parts]), 2)
    asked = {what.partition("-")[0] for host, what in called if host == "h-1" and what.endswith("nothing")}
    assert asked == silent


def test_the_same_number_otherwise_written_is_another_content():
    assert len({shared.content({"a": value}) for value in (1, 1.0, True, "1", None, [1])}) == 6
    one, two = "x" * 9, "".join(["x"] * 9)
    assert shared.content([one, one]) == shared.content([one, two])


def test_what_is_remembered_has_a_bound():
    kept = shared.Shared()
    for number in range(5000):
        kept.keep("service", "chat", shared.content(number), ())
    assert len(kept._speakers) <= shared._KEPT


parts = st.fixed_dictionaries({}, optional={part: st.sampled_from(values) for part, values in PARTS.items()})


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(parts, min_size=2, max_size=8))
def test_every_host_is_told_what_it_would_be_told_alone(tmp_path_factory, hosts):
    root = tmp_path_factory.mktemp("fleet")
    workspace = fleet(root, hosts)
    today = datetime.datetime.now(datetime.UTC).date()
    for number, together in enumerate(checked(workspace, len(hosts))):
        fresh = Workspace(root)
        spec = fresh.repository.host(f"h-{number}")
        alone = check_host(spec, fresh.repository.fleet, fresh.release, today, Memories(fresh).of(spec))
        assert not together.crashes
        assert [each for each in together.findings if each.code != "RND005"] == alone.findings


def test_a_host_that_was_checked_is_let_go_without_a_search_for_cycles(tmp_path):
    """Cycles would stay until the collector runs, which in a fleet takes as long as the rules."""
    workspace = fleet(tmp_path, [{"flag": "tp-size: 2"}] * 12)
    check = FleetCheck(workspace, Selection())
    left = []
    gc.collect()
    gc.disable()
    try:
        for number in range(12):
            check.host(f"h-{number}")
            left.append(gc.collect())
    finally:
        gc.enable()
    assert max(left[2:]) == 0
