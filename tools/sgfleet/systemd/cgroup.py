"""The processes in a control group, and the memory that they hold."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from sgfleet.systemd.port import Failure, ProcessMemory, SystemdError

if TYPE_CHECKING:
    from collections.abc import Sequence

PROC: Final = Path("/proc")
_KIB: Final = 1024


def processes(control_group: str, proc: Path = PROC) -> tuple[int, ...]:
    """The sorted ids of all processes in the group and below it; none where there is no such group.

    Raises:
        SystemdError: REFUSED: the path is no path of a group, or no cgroup file system is mounted.
    """
    path = PurePosixPath(control_group)
    if not path.is_absolute() or ".." in path.parts or len(path.parts) < 2:
        raise SystemdError(Failure.REFUSED, f"{control_group[:200]!r} is no path of a control group")
    found: set[int] = set()
    for folder, _, _ in os.walk(_root(proc) / control_group.lstrip("/")):
        try:
            found.update(map(int, Path(folder, "cgroup.procs").read_text().split()))
        except OSError:  # it went while we looked
            continue
    return tuple(sorted(found))


def memory_of(pids: Sequence[int], proc: Path = PROC) -> ProcessMemory:
    """What the processes hold; see `ProcessMemory`."""
    anonymous = shared = there = 0
    for pid in set(pids):
        try:
            text = (proc / str(pid) / "status").read_bytes()
        except OSError:
            continue
        fields = dict(line.split(b":", 1) for line in text.splitlines() if b":" in line)
        if b"RssAnon" not in fields:  # a zombie or a kernel thread has no memory of its own
            continue
        there += 1
        anonymous += int(fields[b"RssAnon"].split()[0]) * _KIB
        shared += int(fields[b"RssShmem"].split()[0]) * _KIB
    return ProcessMemory(anonymous, shared, there)


def _root(proc: Path) -> Path:
    """Where systemd's hierarchy is mounted: cgroup2, which it uses also beside cgroup v1, or else its own v1."""
    legacy = None
    for line in (proc / "self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ", 2)
        mount_point = Path(left.split(" ")[4])
        if kind == "cgroup2":
            return mount_point
        if kind == "cgroup" and "name=systemd" in options.split(","):
            legacy = mount_point
    if legacy is None:
        raise SystemdError(Failure.REFUSED, "no cgroup file system of systemd is mounted")
    return legacy
