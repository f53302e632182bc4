"""Disks that are full or read-only, files that are torn or gone, two agents, reboots: nothing is lost."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agent.faults.soundness import UNITS, assert_sound
from sgfleet.agent.ask import FIRST_PAUSE_SECONDS
from sgfleet.agent.state import decode, encode
from support.agent_host import PATHS, SERVICE, UNIT
from support.private_systemd.faults import full_disk, read_only

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from agent.faults.tally import Tally
    from support.agent_host import AgentHost

OTHER = {"log-level": "error"}
MOMENTS = {"staged": 9, "stopped": 11, "installed": 15, "reloaded": 21, "started": 25}
"""Moments of a change in which something was just done: see `agent_pass`."""
BLOCKS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24)


@pytest.fixture
def inside(host: AgentHost) -> Iterator[AgentHost]:
    """A host whose agent keeps its folder on the disk of the private systemd, where that can be filled."""
    host.state = Path("/var/lib/sgfleet-test")
    host.systemd.run("rm", "-rf", host.state)
    host.configure()
    host.state = host.systemd.path(host.state)
    host.push()
    found = host.settle()
    assert found.code == 0, found.lines
    yield host
    host.systemd.run("rm", "-rf", "/var/lib/sgfleet-test")


def _assert_goes_on(host: AgentHost) -> None:
    found = host.settle()
    assert found.code == 0, found.lines
    assert_sound(host, "error")


@pytest.mark.parametrize("fault", ["full", "read-only /etc", "read-only state"])
def test_before_a_change(inside: AgentHost, tally: Tally, fault: str) -> None:
    before = inside.runs()
    inside.push(OTHER)
    with _fault(inside, fault):
        found = inside.settle()
        assert found.code in {20, 40}, found.lines
        assert inside.runs() == before
        assert inside.settle().code == found.code
    time.sleep(FIRST_PAUSE_SECONDS * 0.02 * 4)  # a host that said no is not asked in every pass
    _assert_goes_on(inside)
    tally.count(f"{fault}, before a change", "blocked and untouched; applied afterwards")


@pytest.mark.faults
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("fault", ["full", "read-only /etc", "read-only state"])
def test_in_the_middle(inside: AgentHost, tally: Tally, fault: str, moment: str) -> None:
    """The agent was killed there, and the next passes find the disk like this."""
    inside.push(OTHER)
    assert inside.tick(kill_at=MOMENTS[moment]).code == -9
    with _fault(inside, fault):
        for _ in range(2):
            inside.tick()
    _assert_ends(inside)
    tally.count(f"{fault}, in the middle of a change", "goes on, or back; then sound")


@pytest.mark.faults
@pytest.mark.parametrize("blocks", BLOCKS)
def test_the_disk_becomes_full_during_a_change(inside: AgentHost, tally: Tally, blocks: int) -> None:
    inside.push(OTHER)
    with full_disk(inside.systemd, blocks * 4096):
        inside.tick()
    _assert_ends(inside)
    tally.count("full during a change, each time at another write", "goes on, or back; then sound")


def _assert_ends(host: AgentHost) -> None:
    """On the new unit, or on the one before where that failed for want of a disk: told, and whole."""
    time.sleep(FIRST_PAUSE_SECONDS * 0.02 * 4)  # a host that said no is not asked in every pass
    found = host.settle()
    assert found.code in {0, 30}, found.lines
    if found.code == 30:
        assert "host-" in str(host.record()["quarantine"]), found.lines
    assert_sound(host, "error" if found.code == 0 else "cpu")


def _fault(host: AgentHost, fault: str) -> AbstractContextManager[None]:
    if fault == "full":
        return full_disk(host.systemd)
    return read_only(host.systemd, "/etc" if fault == "read-only /etc" else "/var/lib/sgfleet-test")


@pytest.mark.faults
@pytest.mark.parametrize("left", [0, 1, 40, 300, -1])
def test_a_torn_unit(running: AgentHost, tally: Tally, left: int) -> None:
    path, before = running.systemd.path(f"{UNITS}/{UNIT}"), running.runs()
    whole = path.read_bytes()
    path.write_bytes(whole[:left])
    found = running.settle()
    assert found.code == 0, found.lines
    assert path.read_bytes() == whole
    assert running.runs() == before
    assert_sound(running)
    tally.count("the unit file is torn or empty", "mended, without a restart")


@pytest.mark.parametrize("left", [0, 15])
def test_a_unit_is_torn_in_the_middle_of_a_change(running: AgentHost, tally: Tally, left: int) -> None:
    running.push(OTHER)
    assert running.tick(kill_at=MOMENTS["installed"]).code == -9
    path = running.systemd.path(f"{UNITS}/{UNIT}")
    path.write_bytes(path.read_bytes()[:left])
    _assert_goes_on(running)
    tally.count("the unit file is torn in the middle of a change", "applied, whole")


@pytest.mark.faults
@pytest.mark.parametrize("damage", ["empty", "torn", "flipped", "other-format", "folder", "gone", "all-gone"])
def test_a_damaged_state(running: AgentHost, tally: Tally, damage: str) -> None:
    path, before, good = running.state / "state.json", running.runs(), running.record()["verified"]
    text = path.read_bytes()
    match damage:
        case "empty" | "torn":
            path.write_bytes(text[: len(text) // 2 if damage == "torn" else 0])
        case "flipped":
            path.write_bytes(text.replace(b"steady", b"broken"))
        case "other-format":
            path.write_bytes(text.replace(b'"format":1', b'"format":99'))
        case "folder":
            path.unlink()
            path.mkdir()
        case "gone":
            path.unlink()
        case _:
            running.systemd.run("rm", "-rf", str(running.state))
    found = running.settle()
    assert found.code == (40 if damage == "folder" else 0), found.lines
    assert running.runs() == before
    if damage == "folder":
        path.rmdir()
        assert running.settle().code == 0
    assert running.record()["verified"] == good
    assert_sound(running)
    tally.count("the state is damaged or lost", "verified anew, without a restart")


@pytest.mark.faults
@pytest.mark.parametrize("moment", MOMENTS)
def test_the_state_is_lost_in_the_middle_of_a_change(running: AgentHost, tally: Tally, moment: str) -> None:
    running.push(OTHER)
    assert running.tick(kill_at=MOMENTS[moment]).code == -9
    running.systemd.run("rm", "-rf", str(running.state))
    _assert_goes_on(running)
    tally.count("the state is lost in the middle of a change", "applied")


def test_a_torn_log(running: AgentHost) -> None:
    log = running.state / "log.jsonl"
    log.write_bytes(log.read_bytes()[:-20] + b'\n\xff{"\n')
    running.push(OTHER)
    _assert_goes_on(running)


def test_two_agents_at_once(running: AgentHost) -> None:
    running.push({"model-path": running.other_model(load_seconds=3, hold_mib=300)})
    first = subprocess.Popen(
        running.systemd.command(sys.executable, "-m", "support.agent_pass", str(running.config), "30"),
        env={"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "PYTHONPATH": PATHS},
        stdout=subprocess.PIPE,
    )
    try:
        end = time.monotonic() + 20
        while time.monotonic() < end and running.record()["attempt"] is None:
            time.sleep(0.05)
        second = running.tick()
        assert (second.code, second.touches) == (10, [])
        assert "another pass" in second.lines[0]
    finally:
        first.communicate(timeout=60)
    assert running.settle().code == 0
    assert_sound(running)


@pytest.mark.parametrize("days", [-4000, 4000])
def test_the_clock_was_wrong(running: AgentHost, tally: Tally, days: int) -> None:
    """Everything that was remembered of the wall clock is days from what it says now; the boot's clock is not set."""
    running.push(OTHER)
    assert running.tick(kill_at=MOMENTS["started"]).code == -9
    path, seconds = running.state / "state.json", days * 86400.0
    state = decode(path.read_bytes())
    service = state.services[SERVICE]
    assert service.shown is not None
    service = service._replace(
        shown=service.shown._replace(since_seconds=service.shown.since_seconds + seconds),
        asked=(service.wanted.unit, state.moved_seconds + seconds, 600.0),
    )
    path.write_bytes(encode(state._replace(services={SERVICE: service}, moved_seconds=state.moved_seconds + seconds)))
    _assert_goes_on(running)
    tally.count("the wall clock jumps", "applied")


@pytest.mark.faults
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("power_cut", [False, True], ids=["reboot", "power-cut"])
def test_a_boot_in_the_middle_of_a_change(running: AgentHost, tally: Tally, moment: str, power_cut: bool) -> None:
    running.push(OTHER)
    assert running.tick(kill_at=MOMENTS[moment]).code == -9
    running.systemd.reboot(power_cut=power_cut)
    _assert_goes_on(running)
    tally.count("a power cut in a change" if power_cut else "a reboot in a change", "applied")


@pytest.mark.faults
@pytest.mark.parametrize("power_cut", [False, True], ids=["reboot", "power-cut"])
def test_a_boot_while_nothing_changes(running: AgentHost, tally: Tally, power_cut: bool) -> None:
    good = running.record()["verified"]
    running.behave(load_seconds=4, progress="quiet")
    running.systemd.reboot(power_cut=power_cut)
    assert running.settle().code == 0
    assert running.record()["verified"] == good
    assert_sound(running)
    tally.count("a boot, and a slow load after it", "no change, no way back")
