"""Whole processes, timed from outside: wall and CPU seconds and the peak memory of the largest process."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True)
class Measure:
    """Medians over the runs. `exit_codes` are all that were seen: a benchmark of a failing command is none."""

    wall_seconds: float
    cpu_seconds: float
    peak_mib: float
    exit_codes: frozenset[int]


def measure(command: Sequence[str | Path], cwd: Path, runs: int) -> Measure:
    """Run the command once uncounted, then `runs` times."""
    walls, cpus, peaks, codes = [], [], [], set()
    for number in range(runs + 1):
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if number:
            walls.append(wall)
            cpus.append(usage.ru_utime + usage.ru_stime)
            peaks.append(usage.ru_maxrss / 1024)
            codes.add(process.returncode)
    return Measure(statistics.median(walls), statistics.median(cpus), statistics.median(peaks), frozenset(codes))
