"""What the log and the hook are told: each transition once, and nothing that is not so."""

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


def logged(host: AgentHost) -> list[tuple[str, str | None]]:
    """(state, code of its reason), in order."""
    entries = map(json.loads, (host.state / "log.jsonl").read_text().splitlines())
    return [(entry["state"], entry["code"]) for entry in entries]


def test_a_rollback_is_told_once_and_never_as_steady(host: AgentHost) -> None:
    host.behave(load_seconds=1)
    host.push()
    host.settle()
    before = len(logged(host))
    host.push({"model-path": host.other_model(version="0.5.8", load_seconds=1)})
    assert host.settle().code == 30
    told = logged(host)
    assert told[before - 1] == ("steady", None)
    assert "steady" not in [state for state, _ in told[before:]]
    assert told[-1][0] == "rolled-back"
    forth_and_back = 2
    assert max(told.count(each) for each in told[before:]) <= 1 + forth_and_back


def test_what_cannot_be_rendered_says_why(host: AgentHost) -> None:
    host.push()
    host.settle()
    files = host.files({"log-level": "error"})
    spec = files["hosts/box-01/host.yaml"].replace('"log-level"', '"log-levels"')
    host.origin.commit({**files, "hosts/box-01/host.yaml": spec})
    found = host.settle()
    assert found.code == 20
    assert "has no flag log-levels" in found.lines[0]
