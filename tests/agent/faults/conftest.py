"""The host, and the count of what was tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agent.faults.tally import Tally
from support.agent_host import AgentHost

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.private_systemd import PrivateSystemd


@pytest.fixture
def host(systemd: PrivateSystemd, tmp_path: Path) -> Iterator[AgentHost]:
    """A host with the agent, and nothing on it yet. The systemd is the session's; what was done to it is undone."""
    made = AgentHost(systemd, tmp_path)
    yield made
    made.clean()


@pytest.fixture
def running(host: AgentHost) -> AgentHost:
    """The same with one service that is verified."""
    host.push()
    found = host.settle()
    assert found.code == 0, found.lines
    return host


@pytest.fixture(autouse=True)
def tally(request: pytest.FixtureRequest) -> Iterator[Tally]:
    """Counts: what a test says it tried, or the test itself; only where it passed."""
    counts = Tally(request.module.__name__.rpartition("test_")[2], request.node.originalname, request.node.nodeid)
    failed = request.session.testsfailed
    yield counts
    if request.session.testsfailed == failed:
        counts.keep()
