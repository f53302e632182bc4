"""Whatever the engine does with a new unit, the host ends on one that serves what it promised, or says why not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from agent.faults.soundness import assert_sound, shown, starts
from sgfleet.agent.requests import retry
from sgfleet.agent.state import decode, encode
from support.agent_host import SERVICE, UNIT

if TYPE_CHECKING:
    from agent.faults.tally import Tally
    from support.agent_host import AgentHost

APPLIED, BACK = "applied", "back on the unit before"
QUICK: dict[str, tuple[str, dict[str, Any]]] = {
    "ends before it loads, and systemd starts it again and again": (BACK, {"fault": "crash"}),
    "ends when 95 % are loaded": (BACK, {"fault": "exit"}),
    "answers with what is no JSON": (BACK, {"fault": "garbage"}),
    "is of another release": (BACK, {"version": "0.5.8"}),
    "listens late": (APPLIED, {"fault": "bind-late"}),
    "answers 503 at first": (APPLIED, {"fault": "busy"}),
}
SLOW: dict[str, tuple[str, dict[str, Any]]] = {
    "takes connections and answers none": (BACK, {"fault": "hang"}),
    "answers a byte at a time": (BACK, {"fault": "drip"}),
    "answers with a redirect": (BACK, {"fault": "redirect"}),
    "says that it is healthy, and never generates": (BACK, {"fault": "early-200"}),
    "has a dead scheduler": (BACK, {"fault": "dead-scheduler"}),
    "loads, and never listens": (BACK, {"fault": "never-bind"}),
    "stops to move at half of its load": (BACK, {"fault": "stall"}),
    "spins at half of its load": (BACK, {"fault": "spin"}),
    "loads slowly, and moves": (APPLIED, {"load_seconds": 6.0, "hold_mib": 600}),
    "takes a second for its health": (APPLIED, {"health_seconds": 1.03}),
    "has processes of its own with memory": (APPLIED, {"children": 2, "child_mib": 32}),
}


def _apply(host: AgentHost, what: str, outcome: str, told: dict[str, Any], tally: Tally) -> None:
    model = host.other_model(**told)
    host.push({"model-path": model})
    found = host.settle(patience=30)
    assert found.code == (0 if outcome == APPLIED else 30), found.lines
    assert_sound(host, model if outcome == APPLIED else str(host.model))
    tally.count(what, outcome)


@pytest.mark.faults
@pytest.mark.parametrize("what", QUICK)
def test_quick(running: AgentHost, tally: Tally, what: str) -> None:
    _apply(running, what, *QUICK[what], tally)


@pytest.mark.faults
@pytest.mark.parametrize("what", SLOW)
def test_slow(running: AgentHost, tally: Tally, what: str) -> None:
    _apply(running, what, *SLOW[what], tally)


@pytest.mark.parametrize("what", ["crash", "exit"])
def test_a_first_install_that_fails_leaves_nothing(host: AgentHost, what: str) -> None:
    host.push({"model-path": host.other_model(fault=what)})
    assert host.settle().code == 30
    assert_sound(host)
    host.push()
    assert host.settle().code == 0
    assert_sound(host)


def test_memory_runs_out_during_the_bake(running: AgentHost) -> None:
    running.configure(apply="")
    text = running.config.read_text().replace("bake = 0.3", "bake = 4")
    running.config.write_text(text)
    running.push({"model-path": running.other_model(fault="oom", late_seconds=1.0)})
    found = running.settle(patience=30)
    assert found.code == 30, found.lines
    assert_sound(running, str(running.model))


def test_the_old_one_ignores_sigterm(running: AgentHost) -> None:
    running.behave(on_term="ignore")
    running.push({"model-path": running.other_model()})
    assert running.settle().code == 0
    assert_sound(running)


def test_children_of_the_old_one_stay_and_hold_memory(host: AgentHost) -> None:
    host.behave(children=2, child_mib=32, children_stay=True)
    host.push()
    assert host.settle().code == 0
    group = f"/sys/fs/cgroup/system.slice/{UNIT}/cgroup.procs"
    old = set(host.systemd.run("cat", group, check=False).stdout.split())
    host.push({"model-path": host.other_model()})
    assert host.settle().code == 0
    assert not old & set(host.systemd.run("cat", group, check=False).stdout.split())
    assert_sound(host)


def test_half_the_kv_tokens_of_the_last_start(running: AgentHost) -> None:
    running.behave(kv_share=0.5)
    path = running.state / "state.json"
    state = decode(path.read_bytes())
    service = state.services[SERVICE]
    again = service._replace(record=retry(service.record))
    path.write_bytes(encode(state._replace(services={SERVICE: again})))
    found = running.settle()
    assert found.code == 40, found.lines
    assert shown(running)["reason"]["code"] == "promise"
    started = starts(running)
    assert running.tick().code == 40
    assert starts(running) == started


def test_the_way_back_fails_too(running: AgentHost) -> None:
    running.push({"model-path": running.other_model(fault="exit")})
    running.behave(fault="exit")
    found = running.settle()
    assert found.code == 40, found.lines
    started = starts(running)
    for _ in range(3):
        assert running.tick().code == 40
    assert running.record()["attempt"] is None
    assert starts(running) <= started + 3  # systemd's own restarts go on; the agent adds none
    running.behave()
    running.push({"log-level": "error"})
    found = running.settle()
    assert found.code == 0, found.lines
    assert_sound(running, "error")
