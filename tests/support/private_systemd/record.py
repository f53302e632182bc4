"""What is kept of an instance on disk, so that another process finds it and a later one can sweep its remains."""

from __future__ import annotations

import contextlib
import fcntl
import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from support.private_systemd import cgroups
from support.private_systemd.machine import STATE

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Record:
    """An instance. While it boots, `init` is still the process that boots it."""

    name: str
    init: int
    """PID 1 of the instance, as this machine numbers it."""
    init_started: int | None
    cgroups: tuple[str, ...]
    keeper: int = 0
    """The process that holds what is written inside; 0 while it boots."""

    @property
    def folder(self) -> Path:
        """All that the instance has on this machine's file system."""
        return STATE / self.name

    @property
    def alive(self) -> bool:
        """Is that very process still there, and not another one under its number?"""
        return self.init_started is not None and started(self.init) == self.init_started

    def write(self) -> None:
        """Keep it."""
        self.folder.joinpath("record.json").write_text(json.dumps(asdict(self)))

    @classmethod
    def read(cls, name: str) -> Record | None:
        """The record of that name, if there is one."""
        try:
            data = json.loads((STATE / name / "record.json").read_text())
        except (OSError, ValueError):
            return None
        return cls(data["name"], data["init"], data["init_started"], tuple(data["cgroups"]), data["keeper"])

    def clear(self) -> None:
        """Remove everything of an instance whose processes have ended."""
        cgroups.remove(self.cgroups)
        if f" {self.folder}/" in Path("/proc/self/mountinfo").read_text():
            raise OSError(f"something is still mounted below {self.folder}")
        shutil.rmtree(self.folder)


def started(pid: int) -> int | None:
    """When the process started, in clock ticks since the machine did; None if it is gone or a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def sweep() -> list[str]:
    """Remove what instances left that are no longer alive. Returns their names."""
    with locked():
        return sweep_locked()


def sweep_locked() -> list[str]:
    """The same, for who holds the lock."""
    swept = []
    for folder in sorted(STATE.iterdir()):
        record = Record.read(folder.name)
        if record and not record.alive:
            record.clear()
            swept.append(record.name)
    return swept


@contextlib.contextmanager
def locked() -> Iterator[None]:
    """Two test processes must not sweep the same remains."""
    STATE.mkdir(parents=True, exist_ok=True)
    with STATE.joinpath(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
