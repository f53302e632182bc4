"""The stand-in itself: what it shows of a load, and how it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from sgfleet.facts.environments import release_of
from sgfleet.facts.machine import LiveMachine
from sgfleet.observe.lines import read_lines
from sgfleet.observe.log import measure
from support.stand_in.behaviour import Behaviour, control
from support.stand_in.environment import environment
from support.stand_in.running import running


def wait_for(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


def resident_mib(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 2**20


def listens(port):
    """As the kernel says, without a connection."""
    return f"0100007F:{port:04X} 00000000:0000 0A" in Path("/proc/net/tcp").read_text()


@pytest.mark.parametrize(
    ("flags", "said"),
    [(["--tp", "two"], "wants an integer"), (["--bogus"], "--bogus"), (["--hicache-mem", "x"], "hicache-mem-layout")],
)
def test_a_bad_flag_ends_with_status_2(tmp_path, flags, said):
    python = environment(tmp_path / "env", "0.5.9")
    done = subprocess.run(
        [python, "-m", "sglang.launch_server", "--model-path", tmp_path, *flags], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert said in done.stderr


def test_the_flags_are_those_of_the_release(tmp_path):
    words = ["-m", "sglang.launch_server", "--model-path", tmp_path, "--disable-hicache-numa-detect"]
    for release, status in (("0.5.9", 1), ("0.5.23", 2)):
        python = environment(tmp_path / release, release)
        done = subprocess.run([python, *words], env={"STAND_IN_FAULT": "crash"}, capture_output=True)
        assert done.returncode == status


def test_facts_see_the_release(tmp_path):
    python = environment(tmp_path / "env", "0.5.8.post1")
    assert release_of(LiveMachine(), str(python)) == ("0.5.8.post1", None)


def test_its_log_reads_as_that_of_the_engine(tmp_path):
    with running(tmp_path, "0.5.9", "--tp", "8", kv_tokens=159_277, kv_share=0.5) as one:
        one.wait_until_ready()
        measured = measure(read_lines(one.log.read_bytes().splitlines()))
    assert measured.ready
    assert (measured.kv_tokens, measured.settings["tp_size"]) == (79_638, 8)


def test_a_cap_on_the_command_line_holds(tmp_path):
    with running(tmp_path, "0.5.9", "--max-total-tokens", "5000") as one:
        one.wait_until_ready()
        assert "max_total_num_tokens=5000," in one.log.read_text()


def test_it_holds_memory(tmp_path):
    with running(tmp_path, hold_mib=200) as one:
        one.wait_until_ready()
        assert 200 <= resident_mib(one.process.pid) < 300


@pytest.mark.parametrize(("fault", "opens"), [("never-bind", False), ("bind-late", True)])
def test_the_port_opens_late_or_never(tmp_path, fault, opens):
    with running(tmp_path, fault=fault, late_seconds=600) as one:
        wait_for(lambda: "max_total_num_tokens=" in one.log.read_text())
        assert not listens(one.port)
        one.tell(fault=fault, late_seconds=0)
        if opens:
            one.wait_until_ready()
        else:
            time.sleep(0.2)
        assert listens(one.port) is opens


@pytest.mark.parametrize("fault", ["stall", "spin"])
def test_a_load_stops_and_goes_on(tmp_path, fault):
    with running(tmp_path, fault=fault) as one:
        wait_for(lambda: "loaded" in one.log.read_text() or "Load weight begin" in one.log.read_text())
        time.sleep(0.2)
        assert "ready to roll" not in one.log.read_text()
        one.tell()
        one.wait_until_ready()


def test_out_of_memory_after_the_gate(tmp_path):
    with running(tmp_path, fault="oom", late_seconds=0.1) as one:
        assert one.process.wait(30) == -signal.SIGKILL
        text = one.log.read_text()
    assert text.index("ready to roll") < text.index("out of memory")


@pytest.mark.parametrize(("on_term", "status"), [("kill", -signal.SIGKILL), ("exit", 0), ("ignore", None)])
def test_how_it_takes_sigterm(tmp_path, on_term, status):
    with running(tmp_path, on_term=on_term) as one:
        one.wait_until_ready()
        one.process.terminate()
        if status is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                one.process.wait(0.3)
            assert one.process.poll() is None
        else:
            assert one.process.wait(30) == status


@pytest.mark.parametrize("stay", [False, True])
def test_children_that_hold_memory(tmp_path, stay):
    with running(tmp_path, children=2, child_mib=50, children_stay=stay) as one:
        one.wait_until_ready()
        pids = Path(f"/proc/{one.process.pid}/task/{one.process.pid}/children").read_text().split()
        assert len(pids) == 2
        wait_for(lambda: all(resident_mib(pid) >= 50 for pid in pids))
        one.process.kill()
        one.process.wait()
        if stay:
            time.sleep(0.3)
            assert all(Path(f"/proc/{pid}/statm").read_text() for pid in pids)
        else:
            wait_for(lambda: not any(_lives(pid) for pid in pids))


def _lives(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_mistyped_fault_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="no fault 'stal'"):
        control(tmp_path, fault="stal")
    with pytest.raises(TypeError):
        Behaviour(load_second=3)
