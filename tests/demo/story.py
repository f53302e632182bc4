"""A good change, two bad ones and a revert, told while they happen: what people do, what the agent says, what runs.

The engine is a stand-in that takes SGLang's own command line, loads for some seconds, and answers as the release does.
Everything else is what a host has: systemd, Git with signed commits, `sgfleet agent`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from support.agent_host import SERVICE, UNIT, AgentHost
from support.signing import SshSigner

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.private_systemd import PrivateSystemd

SGFLEET = Path(sys.executable).with_name("sgfleet")
LOAD_SECONDS = 1.5
LOOK_SECONDS = 0.1
MOST_WAIT = "60s"
TIMES = "bake = 0.5\nstop = 10\nclear = 5\ntime-scale = 0.05"


class Scene(NamedTuple):
    """How a change ended: the exit code of `tick`, the running process, and the ratio on its command line."""

    title: str
    code: int
    instance: str
    ratio: str


class Story:
    """`play` plays all of it; `scenes` is what came of each part."""

    def __init__(self, systemd: PrivateSystemd, folder: Path, tell: Callable[[str], None]) -> None:
        self.tell = tell
        self.systemd = systemd
        self.began = time.monotonic()
        self.scenes: list[Scene] = []
        self.host = AgentHost(systemd, folder / "demo")
        self.ann, self.stranger = (SshSigner.make(folder / "keys", name) for name in ("ann", "stranger"))
        allowed = self.host.folder / "allowed_signers"
        allowed.write_text(self.ann.allowed())
        allowed.chmod(0o644)
        self.host.configure(trust=f'allowed-signers = "{allowed}"', times=TIMES)
        self.host.behave(load_seconds=LOAD_SECONDS)
        self.told_lines = 0
        self.flag = ""
        """How the flag is spelt by who goes around the hook."""

    def play(self) -> None:
        """About half a minute."""
        other = self.host.other_model("other", version="0.5.8", load_seconds=LOAD_SECONDS)
        self.scene("The host is empty. Main asks for a service.", {"hicache-ratio": 2.0})
        self.scene("A good change: hicache-ratio 2.0 → 3.0.", {"hicache-ratio": 3.0})
        bad = {"hicache-ratio": 3.0, "model-path": other}
        self.scene("A bad one: it loads, it answers, and it is not the release that main names.", bad)
        self.scene("Main still asks for it: what failed is left alone.", None)
        self.scene("git revert: main asks for what runs.", {"hicache-ratio": 3.0})
        self.flag = "hicache-ration"
        self.scene("Somebody goes around the hook with a flag that SGLang does not have.", {"hicache-ratio": 4.0})
        self.flag = ""
        self.scene("The name is put right: the next good change.", {"hicache-ratio": 4.0})
        good = self.host.origin.git("rev-parse", "refs/heads/main")
        self.scene("A stranger gets a commit into main.", {"hicache-ratio": 9.0}, signer=self.stranger)
        self.host.origin.point(good)
        self.scene("Main is put back, and a comment is changed.", {"hicache-ratio": 4.0}, why="Said better.")
        self.end()

    def scene(
        self, title: str, flags: dict[str, Any] | None, *, signer: SshSigner | None = None, why: str | None = None
    ) -> None:
        """A commit, and what the agent makes of it."""
        self.tell(f"\n{len(self.scenes) + 1}. {title}")
        if flags is not None:
            more = {} if why is None else {"why": why}
            flags = {"enable-hierarchical-cache": True, **flags}
            files = self.host.files(flags, **more)
            if self.flag:
                (path,) = (path for path in files if path.endswith(".yaml"))
                files[path] = files[path].replace('"hicache-ratio"', f'"{self.flag}"')
            commit = self.host.origin.commit(files, signer=signer or self.ann)
            self.say(f"main is at {commit[:12]}")
        command = self.sgfleet("tick", "--wait", MOST_WAIT)
        with subprocess.Popen(
            self.systemd.command(*command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as passes:
            while passes.poll() is None:
                self.follow()
                time.sleep(LOOK_SECONDS)
            self.follow()
            said = passes.stdout.read() if passes.stdout is not None else ""
            code = passes.returncode
        assert code in {0, 20, 30}, said
        self.say(f"$ sgfleet agent status   (sgfleet agent tick ended with {code})")
        for line in self.systemd.run(*self.sgfleet("status"), check=False).stdout.splitlines():
            self.tell(f"           {self.short(line)}")
        ratio = re.search(r"--hicache-ratio (\S+)", self.host.file().replace("\\\n", " "))
        self.scenes.append(Scene(title, code, self.host.runs()["InvocationID"], ratio[1] if ratio else ""))

    def end(self) -> None:
        """What systemd has to say."""
        self.tell("\nWhat systemd says of it:")
        journal = self.systemd.run("journalctl", "--quiet", "--output=short-iso", f"UNIT={UNIT}", "_PID=1").stdout
        for line in journal.splitlines():
            self.tell(f"  {line.partition(' systemd[1]: ')[0].split('T')[-1][:8]}  {line.partition(']: ')[2]}")
        runs = self.host.runs()
        self.tell(f"  {UNIT} is {runs['ActiveState']} ({runs['SubState']}), NRestarts={runs['NRestarts']}")
        self.tell("\nIts unit says where it came from:")
        for line in self.host.file().splitlines():
            if line.startswith("X-Sgfleet-"):
                self.tell(f"  {line}")
        record = self.host.record()
        self.tell("\nIn quarantine, and not tried again:")
        for unit, reason in record["quarantine"]:
            self.tell(f"  unit {unit[:12]}: {reason['text']}")
        starts = len({scene.instance for scene in self.scenes if scene.instance})
        seconds = time.monotonic() - self.began
        self.tell(f"\n{len(self.scenes)} scenes in {seconds:.0f} s, at whose ends {starts} processes served.")

    def follow(self) -> None:
        """Transitions that the agent has logged since the last look."""
        log = self.host.state / "log.jsonl"
        if not log.exists():
            return
        lines = log.read_text().splitlines()
        for line in lines[self.told_lines :]:
            entry = json.loads(line)
            if "state" in entry:
                reason = f": {entry['reason']}" if entry["reason"] else ""
                self.say(f"{SERVICE} is {entry['state']}{reason}")
        self.told_lines = len(lines)

    def say(self, text: str) -> None:
        """A line with the time of day, as the journal has it."""
        self.tell(f"  {datetime.now(UTC):%H:%M:%S} {self.short(text)}")

    def short(self, text: str) -> str:
        """Without the folder of this demo, which says nothing to anybody."""
        return text.replace(str(self.host.folder), "…")

    def sgfleet(self, *words: str) -> list[str]:
        """A command of the agent, inside."""
        return [str(SGFLEET), "agent", *words, "--config", str(self.host.config)]
