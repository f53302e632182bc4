"""The rules, with the machine as it is now in the place of the committed facts."""

from __future__ import annotations

import pytest

from agent.admission.making import HICACHE, l40s
from sgfleet.agent.admission import spec
from sgfleet.rules.host_check import Checked
from sgfleet.rules.runner import Crash


def test_a_sound_spec(made):
    assert spec.check(made.situation) is None
    assert spec.check(made.with_gpus().situation) is None


def test_a_service_that_wants_a_gpu_on_a_host_without(made):
    made.flags = made.on_gpus
    assert "[SRV003]" in spec.check(made.situation).text


def test_an_error_with_its_place(made):
    made.with_gpus()
    made.flags["tp-size"] = 4
    reason = spec.check(made.situation)
    assert reason.code == "spec"
    assert reason.text.startswith("hosts/box-01/host.yaml:1: ")
    assert "[SRV" in reason.text


def test_what_the_machine_is_now_counts(made):
    made.with_gpus(l40s(0), l40s(1)).with_ram(256, 250)
    made.flags |= {**HICACHE, "hicache-ratio": 2.0}
    assert spec.check(made.situation) is None
    made.machine.files["/proc/meminfo"] = "MemTotal: 67108864 kB\nMemAvailable: 60000000 kB\n"
    reason = spec.check(made.situation)
    assert "[MEM0" in reason.text
    assert "GiB" in reason.text


def test_committed_facts_stay_where_nothing_can_be_read(made):
    made.with_gpus()
    made.machine._library = "NVML: not there"
    assert [gpu.index for gpu in made.situation.facts.gpus] == []
    made.machine.links.clear()
    for path in [each for each in made.machine.files if each.startswith("/sys/bus")]:
        del made.machine.files[path]
    assert [gpu.index for gpu in made.situation.facts.gpus] == [0, 1]


def test_errors_of_another_service_do_not_count(made):
    made.others["sglang-b"] = {**made.service, "flags": {"model-path": "/srv/b", "port": 31001, "no-such-flag": 1}}
    assert spec.check(made.situation) is None


def test_errors_about_the_host_as_a_whole_do(made):
    made.others["sglang-b"] = {**made.service, "flags": {"model-path": "/srv/b", "port": 31000}}
    assert "31000" in spec.check(made.situation).text


def test_a_policy_that_cannot_be_read_is_no_policy_that_allows(made):
    made.fleet = {"policy": {"reserve": {"host-ram": "much"}}}
    assert "fleet.yaml:1: " in spec.check(made.situation).text


def test_what_the_policy_forbids(made):
    made.fleet = {"policy": {"allowed-python": ["/opt/allowed"]}}
    assert "[POL" in spec.check(made.situation).text


def test_a_rule_that_fails_blocks(made, monkeypatch):
    crashed = Checked("box-01", crashes=[Crash("FLG001", "box-01/sglang-a", "ValueError", ("check, x.py:1",))])
    monkeypatch.setattr(spec, "check_host", lambda *_: crashed)
    reason = spec.check(made.situation)
    assert (reason.code, "FLG001" in reason.text) == ("check-failed", True)


@pytest.mark.parametrize("has_facts", [True, False])
def test_facts_are_of_this_moment(made, has_facts):
    if not has_facts:
        made.facts = None
    facts = made.situation.facts
    assert facts.read["memory"].when is not None
    assert facts.memory.total_bytes == 24684096 * 1024
