"""A pass with nothing to do: one question to the remote, and not a byte written."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.agent_host import AgentHost

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.private_systemd import PrivateSystemd

SGFLEET = str(Path(sys.executable).with_name("sgfleet"))
WRITES = (
    "open openat creat rename renameat renameat2 unlink unlinkat mkdir mkdirat rmdir link linkat symlink symlinkat "
    "truncate ftruncate chmod fchmod fchmodat utimensat"
).replace(" ", ",")
HARMLESS = re.compile(r'"(/dev/(null|tty)|/proc/[^"]*|[^"]*/lock)"')
"""The lock is opened as its holder must, and nothing is written to it: its time does not change, see below."""


@pytest.fixture
def host(systemd: PrivateSystemd, tmp_path: Path) -> Iterator[AgentHost]:
    made = AgentHost(systemd, tmp_path)
    made.push()
    assert made.settle().code == 0
    assert tick(made) == 0
    yield made
    made.clean()


def tick(host: AgentHost, *before: str, path: str = "/usr/bin:/bin") -> int:
    """A pass by the command itself; its exit code."""
    words = [*before, SGFLEET, "agent", "tick", "--config", str(host.config)]
    return host.systemd.run(*words, environment={"PATH": path}, check=False).returncode


def stamps(*folders: Path) -> dict[str, tuple[int, int, int, int]]:
    """Inode, size and times of everything below."""
    found = {}
    for folder in folders:
        for path in [folder, *folder.rglob("*")]:
            stat = path.lstat()
            found[str(path)] = (stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
    return found


def test_nothing_is_written(host: AgentHost) -> None:
    folders = host.state, host.systemd.path("/etc/systemd/system"), host.systemd.path("/etc/systemd"), host.origin.path
    before = stamps(*folders)
    assert any("repository.git" in path for path in before)
    assert tick(host) == 0
    assert stamps(*folders) == before


def test_one_process_of_git(host: AgentHost) -> None:
    folder, calls = host.folder / "counted", host.folder / "calls"
    folder.mkdir()
    (folder / "git").write_text(f'#!/bin/sh\necho "$@" >> {calls}\nexec {shutil.which("git")} "$@"\n')
    (folder / "git").chmod(0o755)
    assert tick(host, path=f"{folder}:/usr/bin:/bin") == 0
    (call,) = calls.read_text().splitlines()
    assert "ls-remote" in call.split()


def test_no_call_writes(host: AgentHost) -> None:
    """Every call of the agent, of Git and of systemctl that could make, change or remove a file."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed; inodes and times are compared above")
    trace = host.folder / "trace"
    assert tick(host, strace, "-f", "-qq", "-s", "300", "-e", f"trace={WRITES}", "-o", str(trace)) == 0
    calls = trace.read_text().splitlines()
    assert any("ls-remote" in call or ".git" in call for call in calls), "the trace has the children's calls"
    opened = re.compile(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)")
    changing = [
        call
        for call in calls
        if (opened.search(call) if re.search(r" open(at)?\(", call) else re.search(r" \w+\(", call))
        and not HARMLESS.search(call)
        and " = -1 " not in call
    ]
    assert changing == []
