"""A host is given random commits, and held against what it must be after each of them.

`python -m agent.soak.run [COMMITS] [SEED]`: a private systemd, an origin with signed commits, the stand-in engine.
Starts are counted from systemd's own journal: one line of it is one start of a process, whoever asked for it.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.soak.commits import BAD_KINDS, NEVER_TRIED, Expected, steps
from support.agent_host import HOST, UNIT, AgentHost
from support.private_systemd import PrivateSystemd, SystemdUnavailableError
from support.signing import SshSigner

if TYPE_CHECKING:
    from agent.soak.commits import Content, Step
    from support.agent_host import Pass

STARTED = "39f53479d3a045ac8e11786248231fbf"
"""systemd's id of the message that a unit was started."""
PASSES = 40


class Soak:
    """One run. `play` does a step, and raises AssertionError where the host is not what it must be."""

    def __init__(self, host: AgentHost, keys: Path) -> None:
        self.host = host
        self.signers = {name: SshSigner.make(keys, name) for name in ("ann", "stranger")}
        allowed = host.folder / "allowed_signers"
        allowed.write_text(self.signers["ann"].allowed())
        allowed.chmod(0o644)
        host.configure(trust=f'allowed-signers = "{allowed}"')
        self.models = {
            "crashes": host.other_model("crashes", fault="crash"),
            "too-big": host.other_model("too-big", fault="exit"),
        }
        self.expected = Expected()
        self.main = ""
        """The newest commit that a host may follow."""
        self.starts = len(self.started())
        self.begun = self.starts
        self.asked = 0
        self.reasons: Counter[str] = Counter()
        self.passes = 0
        self.events: Counter[str] = Counter()
        self.codes: Counter[int] = Counter()

    def started(self) -> set[str]:
        """The process instances that systemd has started, by their InvocationID."""
        found = self.host.systemd.run(
            "journalctl", "--quiet", "--output=json", "--output-fields=INVOCATION_ID", f"UNIT={UNIT}",
            f"MESSAGE_ID={STARTED}",
        )  # fmt: skip
        return {json.loads(line)["INVOCATION_ID"] for line in found.stdout.splitlines()}

    def files(self, content: Content) -> dict[str, str]:
        """The repository's files."""
        flags: dict[str, Any] = {"max-running-requests": 10 + content.number}
        if content.kind in self.models:
            flags["model-path"] = self.models[content.kind]
        unit = {"timeout-stop-sec": "2s", "restart-sec": "20s", "start-limit-burst": 3, "after": []}
        files = self.host.files(flags, why=content.text, unit=unit)
        if content.kind == NEVER_TRIED:
            (path,) = (path for path in files if path.endswith(".yaml"))
            files[path] = files[path].replace('"flags": {', f'"flags": {{"no-such-flag-{content.number}": 1, ')
        return {**files, "notes.txt": f"{content.other}\n"}

    def play(self, step: Step) -> str:
        """Commit, let the agent come to an end, and look. Returns what to tell people."""
        origin = self.host.origin
        signer = self.signers[step.signer]
        self.events[step.event] += len(step.contents)
        if step.back:
            origin.point(origin.git("rev-parse", f"refs/heads/main~{step.back}"))
        verified = self.expected.verified
        codes, allowed = self.expected.after(step)
        for number, content in enumerate(step.contents):
            commit = origin.commit(self.files(content), signer=signer)
            if step.impatient and number + 1 < len(step.contents):
                self.host.behave(load_seconds=2)
                self._tick(0.5)
                self.host.behave()
        found = self._settle()
        self.codes[found.code] += 1
        assert found.code in codes, f"{step}: exit {found.code}, not {sorted(codes)}: {found.lines}"
        again = self._tick(1)
        assert again.touches == [], f"{step}: a second pass did {again.touches}"
        starts = len(self.started())
        new, self.starts = starts - self.starts, starts
        assert new in allowed, f"{step}: {new} starts, not {sorted(allowed)}"
        self._count(step, new, is_change=self.expected.verified != verified)
        self._look(step)
        if step.back or step.signer == "stranger":  # what was pushed is there until somebody puts main back
            origin.point(self.main)
        else:
            self.main = commit
        return f"{step.event:<18}exit {found.code:<3} {new} starts   {'; '.join(found.lines)}"[:150]

    def _count(self, step: Step, new: int, *, is_change: bool) -> None:
        """What the starts of a step were for."""
        if new and step.contents[-1].kind in BAD_KINDS:
            self.reasons.update({"units that failed": 1, "ways back": 1})
        else:
            self.reasons["real changes"] += is_change
            self.reasons["loads that a newer commit superseded, and ways back from them"] += new - is_change

    def _look(self, step: Step) -> None:
        """The host runs what was verified last, whatever main says."""
        file, runs = self.host.file(), self.host.runs()
        assert self.expected.verified is not None
        assert f"--max-running-requests {10 + self.expected.verified[1]}" in file.replace("\\\n", " "), step
        assert (runs["ActiveState"], runs["SubState"], runs["NRestarts"]) == ("active", "running", "0"), (step, runs)
        running = Path(f"/proc/{self.host.systemd.record.init}/root/proc/{runs['MainPID']}/cmdline").read_text()
        assert f"\0--max-running-requests\0{10 + self.expected.verified[1]}\0" in f"{running}\0", step
        record = self.host.record()
        assert record["attempt"] is None, step
        assert record["broken"] is None, step

    def _settle(self) -> Pass:
        for _ in range(PASSES):
            found = self._tick(10)
            if found.code != 10:
                return found
            time.sleep(0.05)
        raise AssertionError(f"still pending: {found.lines}")

    def _tick(self, patience: float) -> Pass:
        found = self.host.tick(patience)
        self.passes += 1
        self.asked += found.touches.count("start")
        return found

    def end(self) -> dict[str, int]:
        """The figures, held against each other."""
        starts = len(self.started()) - self.begun
        assert starts == self.asked, f"systemd started {starts} processes, the agent asked for {self.asked}"
        assert starts == self.reasons.total(), f"{starts} starts for {dict(self.reasons)}"
        return {
            "commits": sum(self.events.values()),
            "passes of the agent": self.passes,
            "starts, by systemd's journal": starts,
            **{f"… of them {what}": number for what, number in self.reasons.items()},
            "units in quarantine": len(self.host.record()["quarantine"]),
        }


def soak(host: AgentHost, keys: Path, commits: int, seed: int, tell: Any = None) -> Soak:
    """Play `commits` commits. AssertionErrors name the seed and the step."""
    run = Soak(host, keys)
    for number, step in enumerate(steps(random.Random(seed), commits), 1):
        try:
            said = run.play(step)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, step {number}: {error}") from error
        if tell is not None:
            tell(f"{sum(run.events.values()):>4}  {said}")
    run.end()
    return run


def main() -> None:
    commits = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(10**6)
    print(f"{commits} commits, seed {seed}", flush=True)
    try:
        systemd = PrivateSystemd.boot(f"soak-{seed}", dies_with_caller=True)
    except SystemdUnavailableError as error:
        sys.exit(f"make soak needs root and a systemd that can be booted privately: {error}")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="sgfleet-soak-") as folder:
        keys = Path(folder)
        try:
            run = soak(AgentHost(systemd, keys / HOST), keys, commits, seed, lambda line: print(line, flush=True))
            print()
            for what, figure in run.end().items():
                print(f"{figure:>6}  {what}")
            print(f"{time.monotonic() - began:>6.0f}  seconds")
            print("events: " + ", ".join(f"{event} {count}" for event, count in sorted(run.events.items())))
            print("ends:   " + ", ".join(f"exit {code}: {count}" for code, count in sorted(run.codes.items())))
        finally:
            systemd.stop()


if __name__ == "__main__":
    main()
