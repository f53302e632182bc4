"""The cgroup file systems of this machine, and the cgroups that an instance gets in them.

On a machine with cgroup v1 beside cgroup2, controllers such as memory belong to v1. systemd uses every hierarchy that
it finds, mounted or not: so an instance sees either cgroup2 alone, or all of them, each from a new cgroup downwards.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A mounted cgroup file system. `controllers` is empty for cgroup2, `name=systemd` for one without controllers."""

    mount_point: Path
    controllers: tuple[str, ...]

    @property
    def own(self) -> Path:
        """This process's own cgroup in it; in cgroup2 the uppermost, which alone may have processes and children."""
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if set(controllers.split(",")) & set(self.controllers):
                return self.mount_point / path.strip("/")
        return self.mount_point


def hierarchies() -> list[Hierarchy]:
    """cgroup2 first, then those of cgroup v1."""
    v1 = {c for line in Path("/proc/self/cgroup").read_text().splitlines() for c in line.split(":")[1].split(",") if c}
    found: list[Hierarchy] = []
    for line in Path("/proc/mounts").read_text().splitlines():
        _, mount_point, kind, options, *_ = line.split()
        if kind == "cgroup2":
            found.insert(0, Hierarchy(Path(mount_point), ()))
        elif kind == "cgroup" and (controllers := v1.intersection(options.split(","))):
            found.append(Hierarchy(Path(mount_point), tuple(sorted(controllers))))
    return found


def has_cgroup2() -> bool:
    """Is cgroup2 mounted at all?"""
    return any(not hierarchy.controllers for hierarchy in hierarchies())


def plan(name: str, *, limits: bool) -> tuple[str, ...]:
    """The paths of an instance's cgroups: in cgroup2, and with `limits` in every other hierarchy as well."""
    return tuple(str(h.own / f"sgfleet-{name}-{os.getpid()}") for h in hierarchies()[: None if limits else 1])


def make(cgroups: tuple[str, ...]) -> None:
    """Create them, ready to take processes."""
    for cgroup in map(Path, cgroups):
        cgroup.mkdir(exist_ok=True)
        for setting in ("cpuset.cpus", "cpuset.mems"):  # cgroup v1 starts them empty, and takes no process before
            if cgroup.joinpath(setting).exists() and not cgroup.joinpath("cgroup.type").exists():
                cgroup.joinpath(setting).write_text(cgroup.parent.joinpath(setting).read_text())


def remove(cgroups: tuple[str, ...]) -> None:
    """Remove them with what systemd made below them, once the kernel has ended their processes (up to 5 s)."""
    for cgroup in map(Path, cgroups):
        for _ in range(100):
            folders = [folder for folder, _, _ in os.walk(cgroup, topdown=False)]
            for folder in folders:
                with contextlib.suppress(OSError):
                    Path(folder).rmdir()
            if not cgroup.exists():
                break
            time.sleep(0.05)
        else:
            raise OSError(f"the cgroup {cgroup} does not become empty")
