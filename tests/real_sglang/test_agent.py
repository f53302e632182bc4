"""The agent with the real engine under a real systemd: a good change, a bad flag, a pool that is too big, a revert."""

from __future__ import annotations

import pytest

from real_sglang.environments import RELEASES
from real_sglang.test_server import flags_of, tiny_model
from support.agent_host import HOST, UNIT, AgentHost

pytestmark = [pytest.mark.sglang, pytest.mark.systemd]

TIMES = "bake = 3\nstop = 60\nclear = 30"


@pytest.mark.parametrize("release", RELEASES)
def test_the_whole_way(release, environment_of, systemd, tmp_path):
    environment = environment_of(release)
    host = AgentHost(systemd, tmp_path, release=release)
    try:
        host.configure(times=TIMES)
        host.python = environment.python
        model = tiny_model(environment, host.folder / "tiny")

        def push(**changed):
            flags = flags_of(release, model, host.port) | {"served-model-name": "tiny"} | changed
            host.push(flags, environment=environment.engine_variables, unit={"timeout-stop-sec": "20s", "after": []})

        push()
        assert host.settle(patience=20).code == 0
        first, good = host.runs(), host.record()["verified"]

        # No such flag, by somebody without hooks: what runs is not touched.
        path = f"hosts/{HOST}/host.yaml"
        files = {each: host.origin.git("show", f"main:{each}") + "\n" for each in (path, f"units/{HOST}/{UNIT}")}
        host.origin.commit(files | {path: files[path].replace('"hicache-ratio"', '"hicache-ratios"')})
        found = host.settle(patience=20)
        assert (found.code, host.runs()) == (20, first), found.lines

        push(**{"hicache-ratio": 1.5})
        assert host.settle(patience=20).code == 0
        second, better = host.runs(), host.record()["verified"]
        assert second["InvocationID"] != first["InvocationID"]

        push(**{"hicache-size": 4_000})  # GB: no machine has them
        found = host.settle(patience=20)
        assert found.code in {20, 30}, found.lines
        assert host.record()["verified"] == better
        assert host.runs()["ActiveState"] == "active"
        if found.code == 20:  # known before the stop
            assert host.runs() == second

        push()
        assert host.settle(patience=20).code == 0
        assert host.record()["verified"] == good
        again = host.tick()
        assert (again.code, again.touches) == (0, [])
    finally:
        host.clean()
