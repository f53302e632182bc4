"""A short soak in every run of the tests; `make soak` is the long one."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

from agent.soak.commits import WEIGHTS, steps
from agent.soak.run import soak
from support.agent_host import AgentHost

if TYPE_CHECKING:
    from pathlib import Path

    from support.private_systemd import PrivateSystemd

COMMITS, SEED = 10, 122


def test_random_commits_leave_the_last_good_state(systemd: PrivateSystemd, tmp_path: Path) -> None:
    host = AgentHost(systemd, tmp_path)
    try:
        run = soak(host, tmp_path / "keys", COMMITS, SEED)
        assert run.end()["commits"] == COMMITS
    finally:
        host.clean()


def test_a_long_run_has_everything_in_it() -> None:
    events = Counter(step.event for step in steps(random.Random(1), 200))
    assert events.keys() == WEIGHTS.keys()
    assert min(events.values()) >= 3
    assert sum(len(step.contents) for step in steps(random.Random(1), 200)) == 200
