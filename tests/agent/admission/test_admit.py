"""The order of the checks, and what becomes of one that fails itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.admission.making import l40s
from sgfleet.agent.admission import admit as module
from sgfleet.agent.admission.admit import CHECKS, admit
from sgfleet.systemd.port import Failure, SystemdError
from support.simulated_systemd import Fault


def test_a_host_on_the_cpu_whose_facts_list_no_gpus_is_admitted(made):
    assert admit(made.situation) is None


def test_a_host_with_its_gpus_is_admitted(made):
    assert admit(made.with_gpus().situation) is None


def test_nothing_is_changed_on_the_host(made):
    before = sorted(made.folder.rglob("*"))
    made.store.prepare()
    kept = sorted(each for each in made.store.folder.rglob("*") if each.is_file())
    situation = made.situation
    assert admit(situation) is None
    assert admit(situation) is None
    assert sorted(each for each in made.store.folder.rglob("*") if each.is_file()) == kept
    assert not made.manager.world.files
    assert not made.manager.world.staged
    assert set(before) <= set(made.folder.rglob("*"))


def test_every_check_is_called():
    folder = Path(module.__file__).parent
    with_check = {path.stem for path in folder.glob("*.py") if "\ndef check(" in path.read_text()}
    assert with_check == set(CHECKS)


def test_the_first_reason_wins(made):
    made.python.unlink()
    (made.model / "config.json").unlink()
    assert admit(made.situation).code == "model"


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize(
    ("error", "told"),
    [(OSError("the disk is gone"), "the disk is gone"), (ValueError("api-key: sk-made-up"), "ValueError in ")],
)
def test_a_check_that_fails_itself_blocks(made, monkeypatch, name, error, told):
    def fails(_situation):
        raise error

    monkeypatch.setattr(f"sgfleet.agent.admission.{name}.check", fails)
    reason = admit(made.situation)
    assert reason.code == "check-failed"
    assert f"the check of {name} " in reason.text
    assert told in reason.text
    assert "sk-made-up" not in reason.text


def test_a_systemd_that_does_not_answer_blocks(made, monkeypatch):
    def verify(self, name, content):
        raise SystemdError(Failure.TIMEOUT, "systemd-analyze did not answer in time")

    monkeypatch.setattr(type(made.manager), "verify", verify)
    reason = admit(made.situation)
    assert (reason.code, "unit" in reason.text, "in time" in reason.text) == ("check-failed", True, True)


def test_a_manager_that_is_down_blocks(made):
    made.with_gpus(l40s(0, ((4711, 2**30),)), l40s(1))
    made.run()
    situation = made.situation
    made.manager.set_faults(Fault.DOWN)
    reason = admit(situation)
    assert (reason.code, reason.text) == (
        "check-failed",
        "the check of gpu did not come to an end: no manager answers",
    )
