"""The whole way, on a real systemd: what is not admitted leaves the service that runs alone."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from support.agent_host import AgentHost

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.private_systemd import PrivateSystemd

pytestmark = pytest.mark.systemd


@pytest.fixture
def host(systemd: PrivateSystemd, tmp_path: Path) -> Iterator[AgentHost]:
    made = AgentHost(systemd, tmp_path)
    yield made
    made.clean()


def test_a_unit_that_is_not_admitted_touches_nothing(host: AgentHost) -> None:
    host.push()
    assert host.settle().code == 0
    before = host.runs(), host.file()
    gone = host.other_model()
    shutil.rmtree(gone)
    host.push({"model-path": gone})
    found = host.tick()
    assert found.code == 20, found.lines
    assert f"blocked: --model-path: there is no folder {gone}" in found.lines[0]
    assert (host.runs(), host.file()) == before
    assert not {"stop", "start", "install", "reload"} & set(found.touches)
    assert not (host.state / "room").exists()
    # The next commit takes the same port, which the running instance holds until it is stopped.
    host.push({"max-running-requests": 7})
    assert host.settle().code == 0
    assert host.runs()["InvocationID"] != before[0]["InvocationID"]
