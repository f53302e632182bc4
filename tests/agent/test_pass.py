"""Whole passes of the agent over a real systemd: the ways that a change can go."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.agent_host import AgentHost

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.private_systemd import PrivateSystemd


@pytest.fixture
def host(systemd: PrivateSystemd, tmp_path: Path) -> Iterator[AgentHost]:
    made = AgentHost(systemd, tmp_path)
    yield made
    made.clean()


def test_a_good_change_is_applied_and_the_next_pass_does_nothing(host: AgentHost) -> None:
    commit = host.push()
    assert host.settle().code == 0, host.tick().lines
    assert host.runs()["ActiveState"] == "active"
    assert f"X-Sgfleet-Commit={commit}" in host.file()
    before = host.runs()
    again = host.tick()
    assert (again.code, again.touches) == (0, [])
    assert host.runs() == before


def test_a_bad_change_goes_back_and_is_not_tried_again(host: AgentHost) -> None:
    host.push()
    host.settle()
    good = host.record()["verified"]
    host.push({"model-path": host.other_model(fault="crash")})
    found = host.settle()
    assert found.code == 30, found.lines
    assert host.record()["verified"] == good
    [[_, reason]] = host.record()["quarantine"]
    assert reason["text"]
    assert host.remembered()["counts"] == {"applied": 1, "failed": 1, "rolled-back": 1}
    touched = host.tick()
    assert (touched.code, touched.touches) == (30, [])


def test_same_bytes_restart_nothing_and_a_comment_only_refreshes(host: AgentHost) -> None:
    host.push()
    host.settle()
    before = host.runs()
    host.push(why="Another reason.")
    assert host.settle().code == 0
    assert host.runs() == before
    assert "Another reason." in host.file()


def test_a_revert_of_a_change_under_way_wins(host: AgentHost) -> None:
    host.push()
    host.settle()
    good = host.record()["verified"]
    host.behave(fault="never-bind", load_seconds=0.2)
    host.push({"log-level": "error"})
    assert host.tick(2).code == 10
    host.behave()
    host.push()
    assert host.settle().code == 0
    assert host.record()["verified"] == good
    assert host.record()["quarantine"] == []


def test_a_service_that_leaves_the_repository_is_stopped_and_removed(host: AgentHost) -> None:
    host.push()
    host.settle()
    host.configure(limits="remove-all = true")
    files = host.files()
    host.origin.commit({"hosts/box-01/host.yaml": '{"host": "box-01", "services": {}}'})
    assert files
    found = host.settle()
    assert found.code in {0, 20}, found.lines


def test_a_url_of_the_spec_gates_besides_the_release_s_endpoints(host: AgentHost) -> None:
    host.push(start={"health-url": f"http://127.0.0.1:{host.port}/health"})
    assert host.settle().code == 0
    assert "X-Sgfleet-Health-Url=http" in host.file()
    good = host.record()["verified"]
    host.push(
        {"log-level": "error"}, start={"health-url": f"http://127.0.0.1:{host.port}/nothing-here", "budget": "2s"}
    )
    assert host.settle().code == 30
    assert host.record()["verified"] == good


def test_a_commit_that_is_refused_is_logged_and_what_runs_is_left(host: AgentHost) -> None:
    first = host.push()
    host.settle()
    before = host.runs()
    host.origin.point(host.origin.commit(host.files(), parents=[], branch=None))  # a history that was rewritten
    assert host.tick().code == 20
    assert host.tick().code == 20
    host.origin.point(first)
    assert host.tick().code == 0
    assert host.runs() == before
    log = [json.loads(line) for line in (host.state / "log.jsonl").read_text().splitlines()]
    assert [each["state"] for each in log if not each.get("service")] == ["refused", "taken"]
