"""A rendered unit, unchanged, starts the stand-in on a real systemd; the client and the meter find it."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from render.hosts import render_text
from sgfleet.agent.gate import judge
from sgfleet.agent.promise import KvTokens, Promise
from sgfleet.observe.observation import Measured
from support.stand_in.behaviour import control
from support.stand_in.environment import TESTS, environment
from support.stand_in.running import free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support.private_systemd import PrivateSystemd

UNIT = "sglang-stand-in.service"
PATHS = f"{TESTS.parent / 'tools'}:{TESTS}"


class Service:
    """One service that is rendered, installed and started."""

    def __init__(self, systemd: PrivateSystemd, tmp_path: Path) -> None:
        self.systemd = systemd
        self.root = tmp_path
        self.folder = systemd.share / tmp_path.name
        self.model = self.folder / "model"
        self.model.mkdir(parents=True)
        self.port = free_port()

    def start(
        self,
        release: str = "0.5.9",
        flags: dict[str, object] | None = None,
        installed: str | None = None,
        **told: object,
    ) -> None:
        """`installed` is the release that the environment really has."""
        control(self.model, health_seconds=0.01, **told)
        python = environment(self.folder / "env", installed or release)
        given = {"model-path": str(self.model), "port": self.port, **(flags or {})}
        service = {
            "release": release,
            "python": str(python),
            "flags": given,
            "unit": {"timeout-stop-sec": "1s", "restart-sec": "1s", "start-limit-burst": 2},
        }
        text = json.dumps({"host": "box-01", "services": {"sglang-stand-in": service}})
        self.systemd.install(UNIT, render_text(self.root, text))
        self.systemd.run("systemctl", "start", UNIT, check=False)

    def ask(self, *words: object) -> dict[str, Any]:
        """What the agent's own client or meter says, from inside."""
        done = self.systemd.run(
            sys.executable, "-m", "support.stand_in.ask", *map(str, words), environment={"PYTHONPATH": PATHS}
        )
        return json.loads(done.stdout)

    def ready(self, release: str = "0.5.9") -> dict[str, Any]:
        """What it says once it is healthy."""
        found: dict[str, Any] = {}

        def healthy() -> bool:
            found.update(self.ask("server", release, self.port))
            return found["health"] == "ok"

        self.wait(healthy)
        return found

    def wait(self, condition: Callable[[], bool], seconds: float = 30) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, self.systemd.journal(UNIT)[-3000:]
            time.sleep(0.05)


@pytest.fixture
def service(systemd: PrivateSystemd, tmp_path: Path) -> Iterator[Service]:
    yield Service(systemd, tmp_path)
    systemd.run("systemctl", "kill", "--signal=KILL", UNIT, check=False)
    systemd.remove(UNIT)
    systemd.run("systemctl", "reset-failed", check=False)


@pytest.mark.parametrize("release", ["0.4.9", "0.5.9", "0.5.23"])
def test_a_good_start_passes_the_gate(service: Service, release: str) -> None:
    service.start(release, {"tp-size": 8}, kv_tokens=1000)
    found = service.ready(release)
    assert found["generation"] == "ok"
    promise = Promise(release, kv_tokens=KvTokens(1000, 0, "measured"), settings={"tp_size": 8})
    verdict = judge(promise, Measured(**found["measured"]))
    assert (verdict.ok, verdict.sure) == (True, True)


@pytest.mark.parametrize(
    ("told", "said"), [({"kv_share": 0.5}, "500 KV tokens, 50% of 1,000"), ({"version": "0.5.8"}, "SGLang 0.5.8 runs")]
)
def test_healthy_and_not_what_was_promised(service: Service, told: dict[str, object], said: str) -> None:
    service.start(kv_tokens=1000, **told)
    promise = Promise("0.5.9", kv_tokens=KvTokens(1000, 0, "measured"))
    verdict = judge(promise, Measured(**service.ready()["measured"]))
    assert not verdict.ok
    assert said in verdict.text


def test_a_flag_that_the_installed_release_does_not_have_ends_the_unit_with_status_2(service: Service) -> None:
    service.start("0.5.9", {"disable-hicache-numa-detect": True}, installed="0.5.23")
    service.wait(lambda: service.systemd.show(UNIT, "ExecMainStatus")["ExecMainStatus"] == "2")


def test_a_stalled_load_is_seen_by_its_control_group(service: Service) -> None:
    service.start(fault="stall", load_seconds=0.2)
    group = service.systemd.show(UNIT, "ControlGroup")["ControlGroup"]
    found = service.ask("load", group, 20)
    assert found["state"] == "stalled"
    assert found["memory_bytes"] > 2**20


def test_a_crash_loop_never_reads_failed_while_it_restarts(service: Service) -> None:
    service.start(fault="crash")
    service.wait(lambda: service.systemd.show(UNIT, "NRestarts")["NRestarts"] != "0")


def test_it_ignores_sigterm_until_systemd_kills_it(service: Service) -> None:
    service.start(on_term="ignore")
    service.ready()
    service.systemd.run("systemctl", "stop", UNIT, check=False)
    shown = service.systemd.show(UNIT, "Result", "ActiveState")
    assert shown == {"Result": "timeout", "ActiveState": "failed"}
