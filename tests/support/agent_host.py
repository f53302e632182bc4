"""A host with the agent, inside the private systemd: an origin, a spec that serves the stand-in, an agent.toml."""

from __future__ import annotations

import json
import shutil
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from render.hosts import render_text
from support.git_origin import Origin
from support.stand_in.behaviour import control
from support.stand_in.environment import TESTS, environment
from support.stand_in.running import free_port

if TYPE_CHECKING:
    from pathlib import Path

    from support.git_origin import Signer
    from support.private_systemd import PrivateSystemd

HOST, SERVICE = "box-01", "sglang-a"
UNIT = f"{SERVICE}.service"
FLAGS = {"served-model-name": "m", "device": "cpu"}
"""On the CPU: the machine that runs tests need not have a GPU."""
PATHS = f"{TESTS.parent / 'tools'}:{TESTS}"


class Pass(NamedTuple):
    """What a pass of the agent said; `code` is -9 where it was killed."""

    code: int
    lines: list[str]
    touches: list[str]


class AgentHost:
    """`push` moves main, `tick` is a pass of the agent, `settle` passes until nothing is under way."""

    def __init__(self, systemd: PrivateSystemd, tmp_path: Path, *, release: str = "0.5.9") -> None:
        self.systemd = systemd
        self.scratch = tmp_path
        self.folder = systemd.share / tmp_path.name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.model = self.folder / "model"
        self.model.mkdir()
        (self.model / "config.json").write_text('{"architectures": ["StandIn"]}')
        self.origin = Origin(self.folder / "origin.git")
        self.port = free_port()
        self.python = environment(self.folder / "env", release)
        self.release = release
        self.state = self.folder / "state"
        self.config = self.folder / "agent.toml"
        self.configure()
        self.behave()

    def configure(
        self,
        trust: str = 'mode = "none"',
        apply: str = "",
        limits: str = "",
        more: str = "",
        times: str = "bake = 0.3\nstop = 10\nclear = 5\ntime-scale = 0.02",
    ) -> None:
        """Write agent.toml: short times, and what a test adds."""
        self.config.write_text(
            f'host = "{HOST}"\nstate = "{self.state}"\n{more}\n[repository]\nurl = "{self.origin.path}"\n'
            f"[trust]\n{trust}\n[limits]\nusers = ['root']\n{limits}\n"
            f"[apply]\n{times}\n{apply}\n"
        )
        self.config.chmod(0o600)

    def behave(self, **told: Any) -> None:
        """Tell the stand-in how to behave, from now on."""
        control(self.model, **{"health_seconds": 0.01, **told})

    def other_model(self, name: str = "other", **told: Any) -> str:
        """Another checkpoint, with which the stand-in behaves otherwise. What went before is not touched by it."""
        model = self.folder / name
        model.mkdir(exist_ok=True)
        (model / "config.json").write_text('{"architectures": ["StandIn"]}')
        control(model, **{"health_seconds": 0.01, **told})
        return str(model)

    def files(self, flags: dict[str, Any] | None = None, **service: Any) -> dict[str, str]:
        """The repository with one service: its spec, rendered."""
        spec = {
            "release": self.release,
            "python": str(self.python),
            "flags": {"model-path": str(self.model), "port": self.port, **FLAGS, **(flags or {})},
            "unit": {"timeout-stop-sec": "2s", "restart-sec": "1s", "start-limit-burst": 3, "after": []},
            **service,
        }
        text = json.dumps({"host": HOST, "services": {SERVICE: spec}})
        unit = render_text(self.scratch, text)
        return {f"hosts/{HOST}/host.yaml": text, f"units/{HOST}/{UNIT}": unit}

    def push(self, flags: dict[str, Any] | None = None, signer: Signer | None = None, **service: Any) -> str:
        """Main asks for a service with these flags."""
        return self.origin.commit(self.files(flags, **service), signer=signer)

    def tick(self, patience: float = 10, kill_at: int | None = None) -> Pass:
        """One pass."""
        words = [sys.executable, "-m", "support.agent_pass", str(self.config), str(patience)]
        done = self.systemd.run(
            *words,
            *([] if kill_at is None else [str(kill_at)]),
            environment={"PYTHONPATH": PATHS},
            check=False,
            timeout_seconds=patience + 120,
        )
        if done.returncode in {-9, 137}:
            return Pass(-9, [], [])
        assert done.returncode == 0, done.stderr[-3000:]
        said = json.loads(done.stdout)
        return Pass(said["code"], said["lines"], said["touches"])

    def settle(self, passes: int = 20, patience: float = 10) -> Pass:
        """Passes until one ends with something else than pending."""
        for _ in range(passes):
            found = self.tick(patience)
            if found.code != 10:
                return found
            time.sleep(0.1)
        raise AssertionError(f"still pending: {found.lines}\n{self.systemd.journal(UNIT)[-2000:]}")

    def remembered(self) -> dict[str, Any]:
        """The state on disk."""
        return json.loads((self.state / "state.json").read_text())["state"]

    def record(self) -> dict[str, Any]:
        """What is remembered of the service."""
        return self.remembered()["services"][SERVICE]["record"]

    def runs(self) -> dict[str, str]:
        """What systemd says of the unit."""
        return self.systemd.show(UNIT, "ActiveState", "SubState", "MainPID", "InvocationID", "NRestarts")

    def file(self) -> str:
        """The unit file on the host; "" where there is none."""
        path = self.systemd.path(f"/etc/systemd/system/{UNIT}")
        return path.read_text() if path.exists() else ""

    def clean(self) -> None:
        """Leave the systemd as it was."""
        self.systemd.run("systemctl", "kill", "--signal=KILL", UNIT, check=False)
        self.systemd.run("systemctl", "disable", UNIT, check=False)
        self.systemd.remove(UNIT)
        self.systemd.run("systemctl", "reset-failed", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)
