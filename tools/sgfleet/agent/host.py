"""The machine, as far as the agent itself looks at it: clocks, memory, disk, who listens, who uses the GPUs."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final, NamedTuple, Protocol

BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
_KIB: Final = 1024


class Now(NamedTuple):
    """`boot_seconds` counts from boot, whatever happens to the wall clock; `minute` is of the day, local time."""

    wall_seconds: float
    boot_seconds: float
    boot: str
    minute: int


class Clockwork(Protocol):
    """Time, and waiting for it to pass."""

    def now(self) -> Now:
        """This moment."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class RealClock:
    """This machine's clocks."""

    def now(self) -> Now:
        """This moment."""
        local = time.localtime()
        return Now(
            time.time(),
            time.clock_gettime(time.CLOCK_BOOTTIME),
            BOOT_ID.read_text().strip(),
            local.tm_hour * 60 + local.tm_min,
        )

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


def available_bytes(proc: Path = Path("/proc")) -> int:
    """MemAvailable: what can be had without swapping.

    Raises:
        OSError: /proc/meminfo cannot be read or does not say.
    """
    for line in (proc / "meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * _KIB
    raise OSError("/proc/meminfo does not say MemAvailable")


def free_bytes(folder: Path) -> int:
    """What root may still write below the folder, or the nearest one above it that there is."""
    while not folder.exists():
        folder = folder.parent
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize
