"""The private systemd is a real one, and the machine does not notice it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support import systemd_plugin
from support.private_systemd import PrivateSystemd, sweep
from support.private_systemd.machine import CHECKOUT, STATE
from support.private_systemd.record import started

if TYPE_CHECKING:
    from support.probe import Probe


def leftovers(name: str) -> list[str]:
    """What is there of an instance: files, cgroups, mounts."""
    cgroups = [str(p) for p in Path("/sys/fs/cgroup").glob(f"**/sgfleet-{name}-*")]
    mounts = [line for line in Path("/proc/mounts").read_text().splitlines() if f"/{name}/" in line]
    return [str(p) for p in STATE.glob(name)] + cgroups + mounts


def test_it_is_pid_1_and_up(systemd: PrivateSystemd) -> None:
    assert systemd.run("cat", "/proc/1/comm").stdout == "systemd\n"
    assert systemd.run("systemctl", "--failed", "--no-legend", "--plain").stdout == ""


def test_the_machines_units_are_not_there(systemd: PrivateSystemd) -> None:
    # A folder of links is left by a test whose unit was enabled, and is empty again.
    assert systemd.run("find", "/etc/systemd/system", "-not", "-type", "d").stdout == ""


def test_what_is_written_inside_stays_inside(systemd: PrivateSystemd) -> None:
    for folder in ("/tmp", "/var/tmp", "/run", "/etc", "/usr/lib/systemd/system", "/dev/shm"):
        systemd.run("touch", f"{folder}/{systemd.name}")
        assert systemd.path(f"{folder}/{systemd.name}").exists()
        assert not Path(folder, systemd.name).exists()


def test_the_share_is_the_one_folder_of_both_sides(systemd: PrivateSystemd) -> None:
    assert systemd.share.is_relative_to(CHECKOUT / ".cache" / "systemd")
    (systemd.share / "from-outside").write_text("a")
    systemd.run("cp", systemd.share / "from-outside", systemd.share / "from-inside")
    assert (systemd.share / "from-inside").read_text() == "a"


def test_a_service_fails_with_its_journal(probe: Probe) -> None:
    name = probe.install('[Service]\nType=oneshot\nExecStart=/bin/sh -c "echo broken pump; exit 3"\n')
    with pytest.raises(AssertionError, match="broken pump"):
        probe.systemd.start(name)
    assert probe.systemd.show(name, "Result", "ExecMainStatus") == {"Result": "exit-code", "ExecMainStatus": "3"}


def test_a_command_that_fails_says_so(systemd: PrivateSystemd) -> None:
    with pytest.raises(AssertionError, match="exit 1"):
        systemd.run("sh", "-c", "echo why >&2; exit 1")
    assert systemd.run("sh", "-c", "cat; exit 4", check=False, input="é").returncode == 4


def test_installing_never_follows_a_link_out(systemd: PrivateSystemd, tmp_path: Path) -> None:
    victim = systemd.share / "victim"
    victim.write_text("untouched")
    systemd.run("ln", "-s", victim, "/etc/systemd/system/linked.service")
    systemd.install("linked.service", "[Service]\nExecStart=/bin/true\n")
    assert victim.read_text() == "untouched"
    systemd.remove("linked.service")
    systemd.run("ln", "-s", tmp_path, "/etc/linked")
    with pytest.raises(ValueError, match="symbolic link"):
        systemd.path("/etc/linked/x")


def test_memory_limits_bite(systemd: PrivateSystemd) -> None:
    instance = PrivateSystemd.boot(f"limits-{os.getpid()}", dies_with_caller=True, limits=True)
    try:
        hog = f"{sys.executable} -I -c 'bytearray(256 << 20)'"
        instance.install("hog.service", f"[Service]\nType=oneshot\nMemoryMax=64M\nMemorySwapMax=0\nExecStart={hog}\n")
        assert instance.start("hog.service", check=False).returncode
        assert instance.show("hog.service", "ExecMainStatus") == {"ExecMainStatus": str(int(signal.SIGKILL))}
    finally:
        instance.stop()
    assert leftovers(instance.name) == []


def test_nothing_is_left_of_it(systemd: PrivateSystemd) -> None:
    name = f"left-{os.getpid()}"
    instance = PrivateSystemd.boot(name)
    instance.install("sleep.service", "[Service]\nExecStart=/bin/sleep 4711\n")
    instance.start("sleep.service")
    pid = instance.record.init
    assert leftovers(name)
    assert PrivateSystemd.find(name).record == instance.record
    instance.stop()
    assert leftovers(name) == []
    assert started(pid) is None


def test_it_ends_with_its_caller_and_the_next_one_sweeps(systemd: PrivateSystemd) -> None:
    name = f"orphan-{os.getpid()}"
    code = f"""
import os, signal
from support.private_systemd import PrivateSystemd
instance = PrivateSystemd.boot({name!r}, dies_with_caller=True)
print(instance.record.init, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT / "tests")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, check=False)
    assert done.returncode == -signal.SIGKILL
    init = int(done.stdout)
    for _ in range(500):
        if started(init) is None:
            break
        time.sleep(0.01)
    assert started(init) is None
    sweep()  # unless another worker, which booted meanwhile, has done it
    assert leftovers(name) == []


def test_a_missing_systemd_is_a_failure_in_ci_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no cgroup2"):
        systemd_plugin.skip_or_fail("no cgroup2")
    monkeypatch.setenv("CI", "true")
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    with pytest.raises(pytest.skip.Exception):
        systemd_plugin.skip_or_fail("not root")
    monkeypatch.setattr(os, "getuid", lambda: 0)
    with pytest.raises(pytest.fail.Exception, match="must run in CI: no cgroup2"):
        systemd_plugin.skip_or_fail("no cgroup2")
