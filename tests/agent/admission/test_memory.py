"""RAM and what may be locked of it."""

from __future__ import annotations

import os
import re

import pytest

from agent.admission.making import GIB, HICACHE, UNIT
from sgfleet.agent.admission import memlock, memory
from sgfleet.agent.admission.pools import Pools
from sgfleet.agent.local import Limits
from sgfleet.agent.record import Attempt, Record
from sgfleet.agent.state import HostState, ServiceState
from sgfleet.facts.machine import Answer
from sgfleet.memory.of_host import Unknown
from sgfleet.systemd.port import ProcessMemory


def hicache(made, available_gib: float, total_gib: float = 256, **flags: object):
    made.with_gpus().with_ram(total_gib, available_gib)
    made.flags |= {**HICACHE, "hicache-ratio": 2.0, **flags}
    return made


def pinned(made) -> Pools:
    pools = made.situation.pools
    assert isinstance(pools, Pools)
    return pools


def test_pools_that_fit(made):
    assert memory.check(hicache(made, 250).situation) is None


def test_pools_that_do_not_fit_and_the_ratio_that_would(made):
    reason = memory.check(hicache(made, 130).situation)
    assert reason.code == "memory"
    assert "130.00 GiB available - " in reason.text
    assert "2 ranks × " in reason.text
    assert "32.00 GiB have to stay free" in reason.text
    ratio = float(re.search(r"hicache-ratio ([\d.]+) is the largest", reason.help)[1])
    made.flags["hicache-ratio"] = ratio
    assert memory.check(made.situation) is None
    made.flags["hicache-ratio"] = ratio + 0.01
    assert memory.check(made.situation) is not None


def test_a_size_that_would_fit(made):
    hicache(made, 100)
    del made.flags["hicache-ratio"]
    made.flags["hicache-size"] = 40
    reason = memory.check(made.situation)
    size = int(re.search(r"hicache-size (\d+) is the largest", reason.help)[1])
    made.flags["hicache-size"] = size
    assert memory.check(made.situation) is None
    made.flags["hicache-size"] = size + 1
    assert memory.check(made.situation) is not None


def test_the_larger_reserve_counts(made):
    need = pinned(hicache(made, 250)).share.pinned_bytes
    left_gib = 40
    hicache(made, need / GIB + left_gib)
    assert memory.check(made.situation) is None
    made.local["limits"] = Limits(reserve_bytes=48 * GIB)
    assert "48.00 GiB have to stay free" in memory.check(made.situation).text
    made.local["limits"] = Limits(reserve_bytes=1 * GIB)
    assert memory.check(made.situation) is None


def test_what_the_running_instance_holds_comes_back(made, monkeypatch):
    hicache(made, 60)
    made.run(child=True)
    held = ProcessMemory(anonymous_bytes=150 * GIB, shared_bytes=2 * GIB, processes=2)
    monkeypatch.setattr(type(made.manager), "memory_of", lambda self, pids: held)
    situation = made.situation
    assert situation.freed_bytes == 151 * GIB
    assert memory.check(situation) is None


def test_no_more_comes_back_than_is_in_use(made, monkeypatch):
    hicache(made, 250)
    made.run()
    monkeypatch.setattr(type(made.manager), "memory_of", lambda self, pids: ProcessMemory(500 * GIB, 0, 1))
    assert made.situation.freed_bytes == 6 * GIB


@pytest.mark.parametrize("loading", [False, True])
def test_pools_that_show_in_no_process_count_once_they_were_verified(made, loading):
    hicache(made, 60)
    made.run()
    unit = _kept(made)
    attempt = Attempt("f" * 64) if loading else None
    made.store.save(HostState(services={"sglang-a": ServiceState(Record(verified=unit, attempt=attempt))}))
    situation = made.situation
    assert (situation.freed_bytes > GIB) == (not loading)
    if not loading:
        assert situation.freed_bytes == pinned(made).share.pinned_bytes


def _kept(made) -> str:
    situation = made.situation
    return made.store.keep_unit(situation.text, situation.brief.encoded())


def test_nothing_runs_and_nothing_comes_back(made):
    assert hicache(made, 60).situation.freed_bytes == 0


def test_without_pools_only_the_hosts_own_reserve_counts(made):
    made.with_ram(24, 20)
    assert made.situation.pools is None
    assert memory.check(made.situation) is None
    made.local["limits"] = Limits(reserve_bytes=21 * GIB)
    reason = memory.check(made.situation)
    assert "20.00 GiB available is less than the 21.00 GiB that agent.toml keeps free" in reason.text


def test_pools_of_a_model_that_nobody_knows(made):
    hicache(made, 250, **{"model-path": str(made.model)})
    assert isinstance(made.situation.pools, Unknown)
    assert memory.check(made.situation).code == "memory-unknown"
    made.service["waive"] = [{"code": "MEM030", "reason": "measured by hand on another host"}]
    assert memory.check(made.situation) is None
    assert memlock.check(made.situation) is None


def test_a_machine_that_does_not_say_how_much_there_is(made):
    situation = made.situation
    made.machine.files["/proc/meminfo"] = "MemTotal: 1 kB\n"
    with pytest.raises(OSError, match="does not say how much memory"):
        memory.check(situation)


# Locked memory.


@pytest.mark.parametrize(("limit", "passes"), [("infinity", True), ("200GiB", True), ("8GiB", False)])
def test_the_limit_of_the_unit(made, limit, passes):
    made.service["unit"] = {"limit-memlock": limit}
    reason = memlock.check(hicache(made, 250).situation)
    assert (reason is None) == passes
    assert passes or "the unit lets it lock 8.00 GiB" in reason.text


@pytest.mark.parametrize(
    ("written", "passes"),
    [("LimitMEMLOCK=8G", False), ("LimitMEMLOCK=1T:infinity", True), ("LimitMEMLOCK=", False), ("", False)],
)
def test_a_limit_as_systemd_writes_it(made, written, passes):
    situation = hicache(made, 250).situation
    situation.text = situation.text.replace("LimitMEMLOCK=infinity", written)
    assert (memlock.check(situation) is None) == passes


def test_a_limit_that_cannot_be_read(made):
    situation = hicache(made, 250).situation
    situation.text = situation.text.replace("LimitMEMLOCK=infinity", "LimitMEMLOCK=much")
    with pytest.raises(OSError, match="cannot be read"):
        memlock.check(situation)


def users(made, locked: str | None) -> None:
    unit = f"user@{os.geteuid()}.service"
    made.machine.answers["systemctl", "show", "--property=MainPID", "--value", unit] = Answer("321\n")
    made.local["scope"] = "user"
    if locked is not None:
        line = "Max open files            1024    4096    files\nMax locked memory         8388608"
        made.machine.files["/proc/321/limits"] = f"{line}              {locked}              bytes     \n"


@pytest.mark.parametrize(("locked", "passes"), [("unlimited", True), ("8388608", False)])
def test_the_limit_of_a_users_manager(made, locked, passes):
    users(hicache(made, 250), locked)
    reason = memlock.check(made.situation)
    assert (reason is None) == passes
    assert passes or "this user's systemd may lock 0.01 GiB" in reason.text


def test_a_users_manager_that_cannot_be_looked_at(made):
    users(hicache(made, 250), None)
    with pytest.raises(OSError, match="may lock cannot be read"):
        memlock.check(made.situation)


def test_without_pools_nothing_is_locked(made):
    users(made, None)
    assert memlock.check(made.situation) is None


def test_what_runs_is_known_by_its_unit(made):
    made.run()
    assert made.situation.present.name == UNIT
    assert made.situation.own_processes == set(made.processes)
