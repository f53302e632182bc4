"""A pass of the agent with nothing to do, as a whole process on a real systemd, beside what it cannot do without.

    make bench-agent            as root

The service that is looked at runs (a stand-in for the engine), main has not moved. Every row is entered into the same
private systemd in the same way; the remote is a path, so that the network does not count. Peak memory is that of the
largest process, asked of the kernel by a parent that is smaller than it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from fleet import ROOT
from measure import Measure, measure
from run import row

from support.agent_host import UNIT, AgentHost
from support.private_systemd import PrivateSystemd, SystemdUnavailableError

SGFLEET = Path(sys.executable).parent / "sgfleet"
RUNS = 21
TARGET_SECONDS = 0.2
PEAK = "import os, resource, sys; os.waitpid(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0); "
PEAK += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
"""A process inherits the peak of the one that starts it, which is why `measure` does not tell it here."""


def main() -> None:
    try:
        systemd = PrivateSystemd.boot(f"bench-{os.getpid()}", dies_with_caller=True)
    except SystemdUnavailableError as error:
        sys.exit(f"this benchmark boots a systemd of its own, in namespaces that only root may make: {error}")
    try:
        with tempfile.TemporaryDirectory(prefix="sgfleet-bench-") as folder:
            host = AgentHost(systemd, Path(folder) / "bench")
            host.push()
            assert host.settle().code == 0
            compare(systemd, host)
    finally:
        systemd.stop()


def compare(systemd: PrivateSystemd, host: AgentHost) -> None:
    def timed(*words: str | Path) -> Measure:
        return measure(systemd.command(*map(str, words)), ROOT, runs=RUNS)

    bare = timed(sys.executable, "-c", "pass")
    row("bare interpreter", bare)
    git = timed("git", "ls-remote", host.origin.path, "refs/heads/main")
    row("git ls-remote, alone", git)
    shown = timed("systemctl", "show", "--property=ActiveState", UNIT)
    row("systemctl show, alone", shown)
    words = (SGFLEET, "agent", "tick", "--config", host.config)
    tick = timed(*words)
    own = tick.wall_seconds - bare.wall_seconds - git.wall_seconds
    row("sgfleet agent tick, nothing to do", tick, f"+{own * 1000:.0f} ms over interpreter and ls-remote")
    status = timed(SGFLEET, "agent", "status", "--config", host.config)
    row("sgfleet agent status", status)
    own_peak = int(systemd.run(sys.executable, "-ISc", PEAK, *map(str, words)).stdout.splitlines()[-1]) / 1024
    print(f"{'peak memory of that pass':<44}{own_peak:>9.0f} MiB")
    verdict = "within" if tick.wall_seconds <= TARGET_SECONDS else "OVER"
    print(f"{'target for a pass with nothing to do':<44}{TARGET_SECONDS * 1000:>9.0f} ms   {verdict}")


if __name__ == "__main__":
    main()
