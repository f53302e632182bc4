"""The unit as systemd sees it, and room for what has to be written."""

from __future__ import annotations

import pytest

from agent.admission.making import UNIT
from sgfleet.agent.admission import room, unit
from sgfleet.agent.record import Record
from sgfleet.agent.state import HostState, ServiceState
from sgfleet.systemd.port import Failure, SystemdError
from support.simulated_systemd import Fault


def test_a_unit_that_systemd_takes(made):
    assert unit.check(made.situation) is None


def test_a_unit_that_systemd_complains_of(made, monkeypatch):
    lines = ("x.service:7: Unknown key name 'MemoryZSwapMax' in section 'Service', ignoring.", "more", "still more")
    monkeypatch.setattr(type(made.manager), "verify", lambda self, name, content: lines)
    reason = unit.check(made.situation)
    assert (reason.code, reason.text) == ("unit", f"systemd says: {lines[0]} (and 2 more)")


def test_the_bytes_that_will_run_are_verified(made, monkeypatch):
    seen = []
    monkeypatch.setattr(type(made.manager), "verify", lambda self, name, content: seen.append((name, content)) or ())
    situation = made.situation
    unit.check(situation)
    assert seen == [(UNIT, situation.text.encode())]


def test_there_is_room(made):
    assert room.check(made.situation) is None
    # The folder's own two files, which make it the agent's; nothing of the trial is left.
    assert {each.name for each in made.store.folder.iterdir() if each.is_file()} == {"lock", "reserve"}
    assert not made.manager.world.staged


@pytest.mark.parametrize("fault", [Fault.NO_SPACE, Fault.READ_ONLY])
def test_the_folder_of_units_cannot_be_written(made, fault):
    situation = made.situation
    made.manager.set_faults(fault)
    reason = room.check(situation)
    assert (reason.code, "the folder of units cannot be written" in reason.text) == ("room", True)


def test_what_is_staged_for_going_back_stays(made):
    situation = made.situation
    made.manager.stage(UNIT, b"verified")
    assert room.check(situation) is None
    assert made.manager.world.staged == {(UNIT, b"verified")}


def test_a_manager_that_does_not_answer_is_no_lack_of_room(made, monkeypatch):
    def stage(self, name, content):
        raise SystemdError(Failure.TIMEOUT, "did not answer")

    monkeypatch.setattr(type(made.manager), "stage", stage)
    with pytest.raises(SystemdError):
        room.check(made.situation)


def test_the_agents_folder_cannot_be_written(made):
    made.store.folder.parent.mkdir(exist_ok=True)
    made.store.folder.write_text("a file in its place")
    reason = room.check(made.situation)
    assert (reason.code, "cannot be written" in reason.text) == ("room", True)


def test_the_agents_disk_is_nearly_full(made, monkeypatch):
    monkeypatch.setattr(room, "free_bytes", lambda folder: 3 * 2**20)
    reason = room.check(made.situation)
    assert "room for 3.0 MiB more, and the agent needs 16 MiB" in reason.text


def verified(made, unit: str) -> None:
    made.store.prepare()
    made.store.save(HostState(services={"sglang-a": ServiceState(Record(verified=unit))}))


def test_the_way_back_is_kept(made):
    verified(made, made.store.keep_unit("[Service]\nExecStart=/bin/old\n", {}))
    assert room.check(made.situation) is None


def test_the_way_back_is_gone(made):
    verified(made, "f" * 64)
    reason = room.check(made.situation)
    assert (reason.code, "ffffffffffff" in reason.text) == ("no-way-back", True)


def test_the_way_back_is_damaged(made):
    kept = made.store.keep_unit("[Service]\nExecStart=/bin/old\n", {})
    (made.store.folder / "units" / f"{kept}.service").write_text("[Service]\nExec")
    verified(made, kept)
    assert room.check(made.situation).code == "no-way-back"
