"""Samples of real processes: what a load of the stand-in shows, and that a stall shows nothing."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from sgfleet.agent.budget import Patience, Sample, StartBudget, progress
from sgfleet.agent.progress import Meter
from support.stand_in.running import running

STALL = Patience(quiet=0.4, spinning=5)
SPIN = Patience(quiet=5, spinning=0.8)
"""Far apart: on a busy machine a process that only sleeps is charged for processor time late."""
WHOLE = StartBudget(60, 60, "for a test")


def watched(one, until, patience=STALL, seconds=20):
    """Samples of the load until something holds of them: on a busy machine Python's own start may look like a stall."""
    end = time.monotonic() + seconds
    while "Load weight begin" not in one.log.read_text():
        assert time.monotonic() < end
        time.sleep(0.01)
    meter, taken = Meter(None, one.process.pid), []
    began = time.monotonic()
    while time.monotonic() < began + seconds:
        taken.append(meter.sample(one.log.read_text().count("\n")))
        found = progress(taken, began, WHOLE, patience)
        if until(found):
            return found, taken
        time.sleep(0.05)
    raise AssertionError(found)


@pytest.mark.parametrize(
    ("fault", "patience", "said"), [("stall", STALL, "no processor time"), ("spin", SPIN, "only processor time")]
)
def test_a_load_that_stops_is_seen(tmp_path, fault, patience, said):
    with running(tmp_path, fault=fault, load_seconds=0.2, hold_mib=100) as one:
        found, _ = watched(one, lambda found: found.state == "stalled", patience)
    assert said in found.reason


def test_a_load_that_moves_goes_on(tmp_path):
    with running(tmp_path, load_seconds=2, hold_mib=400) as one:
        found, taken = watched(one, lambda _: "ready to roll" in one.log.read_text(), Patience(quiet=1, spinning=1))
    assert found.goes_on
    assert taken[-1].memory_bytes - taken[0].memory_bytes > 300 * 2**20
    assert taken[-1].cpu_seconds > taken[0].cpu_seconds
    assert taken[-1].read_bytes > 0


def test_children_count(tmp_path):
    with running(tmp_path, children=2, child_mib=100) as one:
        one.wait_until_ready()
        end = time.monotonic() + 20
        while (Meter(None, one.process.pid).sample().memory_bytes or 0) < 200 * 2**20:
            assert time.monotonic() < end
            time.sleep(0.05)


def test_processes_may_end_while_they_are_read():
    """Each sample meets processes that end between two looks at them; none of that is an error."""
    storm = subprocess.Popen(["sh", "-c", "while :; do sh -c 'true & true & true & wait' & true; wait; done"])
    try:
        taken = [Meter(None, storm.pid).sample() for _ in range(1500)]
    finally:
        storm.kill()
        storm.wait()
    assert all(sample.memory_bytes for sample in taken)


def test_by_control_group(tmp_path):
    """In hybrid and v1 hierarchies the folder lies below a hierarchy of its own."""
    for hierarchy in ("", "unified", "systemd"):
        groups = tmp_path / (hierarchy or "v2")
        folder = groups / hierarchy / "system.slice" / "a.service" / "inner"
        folder.mkdir(parents=True)
        (folder / "cgroup.procs").write_text(f"{os.getpid()}\n")
        sample = Meter("/system.slice/a.service", groups=groups).sample()
        assert sample.memory_bytes
        assert sample.memory_bytes > 2**20


@pytest.mark.parametrize("group", [None, "", "/", "/../../etc", "/none.service"])
def test_nothing_to_read_is_unknown(tmp_path, group):
    sample = Meter(group, groups=tmp_path).sample()
    assert sample == Sample(sample.at_seconds)
    assert Meter(None, 2**22 + 1).sample().cpu_seconds is None


def test_half_written_files_are_unknown(tmp_path):
    folder = tmp_path / "7"
    folder.mkdir()
    for name in ("stat", "statm", "io"):
        (folder / name).write_text("7 (a b) S")
    assert Meter(None, 7, proc=Path(tmp_path)).sample().cpu_seconds is None
