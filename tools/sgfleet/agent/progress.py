"""What the processes of a unit have used so far, read from /proc and their control group."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sgfleet.agent.budget import Sample

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_PROCESSES: Final = 4096
_MOST_BYTES: Final = 2**20
_HIERARCHIES: Final = ("", "unified", "systemd")
"""Where systemd's own hierarchy is mounted: cgroup v2, hybrid, v1."""
_READ: Final = re.compile(r"^rchar: (\d+)$", re.MULTILINE)
_STORAGE: Final = re.compile(r"^read_bytes: (\d+)$", re.MULTILINE)
_UTIME: Final = 11
"""Fields of /proc/PID/stat after the name in parentheses: utime and stime stand there."""


class Meter:
    """Samples the processes in `control_group`, as systemd names it (`/system.slice/sglang-a.service`).

    Without one, or where its folder cannot be found, it follows the children of `main_pid`. `journal_lines` are counted
    by whoever reads the journal. Never raises: what cannot be read is None.
    """

    def __init__(
        self,
        control_group: str | None,
        main_pid: int = 0,
        proc: Path = Path("/proc"),
        groups: Path = Path("/sys/fs/cgroup"),
    ) -> None:
        self._group = (control_group or "").strip("/")
        self._main_pid = main_pid
        self._proc = proc
        self._groups = groups

    def sample(self, journal_lines: int | None = None) -> Sample:
        """What holds now. Sums over processes: one that ended takes its share along, which counts as a change too."""
        pids = list(self._pids())
        ticks = os.sysconf("SC_CLK_TCK")
        page = os.sysconf("SC_PAGE_SIZE")
        cpu = [each for pid in pids if (each := self._ticks(pid)) is not None]
        memory = [each for pid in pids if (each := self._resident(pid)) is not None]
        read = [each for pid in pids if (each := self._read_bytes(pid)) is not None]
        return Sample(
            at_seconds=time.monotonic(),
            cpu_seconds=sum(cpu) / ticks if cpu else None,
            memory_bytes=sum(memory) * page if memory else None,
            read_bytes=sum(read) if read else None,
            journal_lines=journal_lines,
        )

    def _pids(self) -> Iterator[int]:
        found: set[int] = set()
        if self._group and ".." not in Path(self._group).parts:
            for hierarchy in _HIERARCHIES:
                for folder, _, _ in os.walk(self._groups / hierarchy / self._group):
                    found |= _ids(Path(folder, "cgroup.procs"))
        if not found and self._main_pid > 0:
            found = self._family(self._main_pid)
        yield from sorted(found)[:_MOST_PROCESSES]

    def _family(self, pid: int) -> set[int]:
        """A process and all that descend from it."""
        found, waiting = {pid}, [pid]
        while waiting and len(found) < _MOST_PROCESSES:
            tasks = self._proc / str(waiting.pop()) / "task"
            for task in _names(tasks):
                fresh = _ids(tasks / task / "children") - found
                found |= fresh
                waiting += fresh
        return found

    def _ticks(self, pid: int) -> int | None:
        """Processor time of the process and of its children that ended."""
        text = _text(self._proc / str(pid) / "stat")
        fields = text.rpartition(")")[2].split() if text else []
        numbers = [int(field) for field in fields[_UTIME : _UTIME + 4] if field.isdecimal()]
        return sum(numbers) if len(numbers) == 4 else None

    def _resident(self, pid: int) -> int | None:
        fields = (_text(self._proc / str(pid) / "statm") or "").split()
        return int(fields[1]) if len(fields) > 1 and fields[1].isdecimal() else None

    def _read_bytes(self, pid: int) -> int | None:
        """Through read(), or from storage into mapped pages, whichever is more."""
        text = _text(self._proc / str(pid) / "io") or ""
        found = [int(match[1]) for pattern in (_READ, _STORAGE) if (match := pattern.search(text))]
        return max(found, default=None)


# A process and its folders may go at any moment, also between two looks: pathlib's globs do not stand that.


def _text(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES).decode(errors="replace")
    except OSError:
        return None


def _ids(path: Path) -> set[int]:
    return {int(word) for word in (_text(path) or "").split() if word.isdecimal()}


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names, and no paths, are wanted
    except OSError:
        return []
