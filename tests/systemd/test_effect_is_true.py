"""What `render/effect.py` says of settings, looked at on a real systemd: a service is started, its unit replaced, and
after a daemon-reload it is seen whether the running service obeys, and that its process was left alone.
"""

from __future__ import annotations

import time
from itertools import count
from typing import TYPE_CHECKING

import pytest

from sgfleet.render.effect import RELOADED, Effect, effect_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.private_systemd import PrivateSystemd

_NUMBERS = count(1)
LOOP = "/bin/sh -c 'trap \"\" TERM; while :; do sleep 0.1; done'"


class Subject:
    """A running service whose unit is replaced."""

    def __init__(self, systemd: PrivateSystemd) -> None:
        self.systemd = systemd
        self.name = f"effect-{next(_NUMBERS)}.service"
        self.others: list[str] = []

    def text(
        self, key: tuple[str, str] | None = None, value: str | None = None, start: str = "/bin/sleep infinity"
    ) -> str:
        """A unit with one more setting."""
        lines = {"Unit": ["Description=effect"], "Service": ["Type=exec", f"ExecStart={start}"], "Install": []}
        if key is not None and value is not None:
            lines[key[0]].append(f"{key[1]}={value}")
        return "".join(f"[{section}]\n" + "".join(f"{line}\n" for line in lines[section]) for section in lines)

    def begin(self, text: str) -> None:
        """Install and start."""
        self.systemd.install(self.name, text)
        self.systemd.start(self.name)
        self.process = self.systemd.show(self.name, "MainPID", "InvocationID")

    def replace(self, text: str) -> None:
        """Install the other unit and reload: the process is still the same."""
        self.systemd.install(self.name, text)
        assert self.systemd.show(self.name, "MainPID", "InvocationID") == self.process

    def other(self, text: str) -> str:
        """Another unit, which is gone after the test."""
        name = f"effect-other-{next(_NUMBERS)}.service"
        self.others.append(name)
        self.systemd.install(name, text)
        return name

    def show(self, key: str) -> str:
        """A property as systemd has it."""
        return self.systemd.show(self.name, key)[key]

    def kill(self, signal: str = "KILL") -> None:
        """End the process."""
        self.systemd.run("systemctl", "kill", f"--signal={signal}", self.name)

    def wait(self, key: str, *wanted: str) -> str:
        """Until the property has one of the values, or 10 s are over."""
        deadline = time.monotonic() + 10
        while (found := self.show(key)) not in wanted and time.monotonic() < deadline:
            time.sleep(0.05)
        return found

    def clean(self) -> None:
        """Take everything away."""
        for name in (self.name, *self.others):
            self.systemd.run("systemctl", "kill", "--signal=KILL", name, check=False)
            self.systemd.remove(name)


@pytest.fixture
def subject(systemd: PrivateSystemd) -> Iterator[Subject]:
    """One service."""
    made = Subject(systemd)
    yield made
    made.clean()


def description(one: Subject) -> None:
    key = ("Unit", "Description")
    one.begin(one.text())
    one.replace(one.text(key, "another description"))
    assert one.show("Description") == "another description"
    one.systemd.run("systemctl", "stop", one.name)
    assert "another description" in one.systemd.journal(one.name)


def after(one: Subject) -> None:
    """The order in which both are stopped: the later one first."""
    key = ("Unit", "After")
    record = one.systemd.share / f"{one.name}.order"
    other = one.other(
        f"[Service]\nType=exec\nExecStart=/bin/sleep infinity\nExecStop=/bin/sh -c 'echo other >> {record}'\n"
    )
    one.systemd.start(other)
    stops = f"/bin/sleep infinity\nExecStop=/bin/sh -c 'sleep 0.5; echo own >> {record}'"
    one.begin(one.text(start=stops))
    one.replace(one.text(key, other, start=stops))
    one.systemd.run("systemctl", "stop", one.name, other)
    assert record.read_text().split() == ["own", "other"]


def wants(one: Subject) -> None:
    key = ("Unit", "Wants")
    one.begin(one.text())
    other = one.other("[Service]\nType=exec\nExecStart=/bin/sleep infinity\n")
    one.replace(one.text(key, other))
    assert other in one.show("Wants")
    assert one.systemd.show(other, "ActiveState")["ActiveState"] == "inactive", "only a start pulls it in"


def requires(one: Subject) -> None:
    """What stops with what."""
    key = ("Unit", "Requires")
    other = one.other("[Service]\nType=exec\nExecStart=/bin/sleep infinity\n")
    one.systemd.start(other)
    one.begin(one.text())
    one.replace(one.text(key, other))
    one.systemd.run("systemctl", "stop", other)
    assert one.wait("ActiveState", "inactive") == "inactive"


def start_limit_burst(one: Subject) -> None:
    key = ("Unit", "StartLimitBurst")
    one.begin(one.text(key, "100"))
    one.replace(one.text(key, "1"))
    # A reload forgets the starts that were counted: the next one is the first.
    assert one.systemd.run("systemctl", "restart", one.name, check=False).returncode == 0
    assert one.systemd.run("systemctl", "restart", one.name, check=False).returncode != 0
    assert one.show("Result") == "start-limit-hit"


def start_limit_interval(one: Subject) -> None:
    """With no interval nothing is counted."""
    key = ("Unit", "StartLimitIntervalSec")
    few = "3600\nStartLimitBurst=1"
    one.begin(one.text(key, few))
    one.replace(one.text(key, "0\nStartLimitBurst=1"))
    for _ in range(3):
        assert one.systemd.run("systemctl", "restart", one.name, check=False).returncode == 0


def restart(one: Subject) -> None:
    key = ("Service", "Restart")
    one.begin(one.text(key, "no"))
    one.replace(one.text(key, "always"))
    one.kill()
    assert one.wait("NRestarts", "1") == "1"


def restart_sec(one: Subject) -> None:
    key = ("Service", "RestartSec")
    one.begin(one.text(key, "1h\nRestart=always"))
    one.replace(one.text(key, "0\nRestart=always"))
    one.kill()
    assert one.wait("NRestarts", "1") == "1"


def timeout_start(one: Subject) -> None:
    """It bounds the next start of the service as it is installed."""
    key = ("Service", "TimeoutStartSec")
    slow = "/bin/sleep infinity\nExecStartPost=/bin/sh -c '[ ! -e $$SLOW ] || sleep 60'"
    flag = one.systemd.share / f"{one.name}.slow"
    slow = slow.replace("$$SLOW", str(flag))
    one.begin(one.text(key, "1h", start=slow))
    one.replace(one.text(key, "1", start=slow))
    flag.touch()
    assert one.systemd.run("systemctl", "restart", one.name, check=False).returncode != 0
    assert one.show("Result") == "timeout"


def timeout_stop(one: Subject) -> None:
    key = ("Service", "TimeoutStopSec")
    one.begin(one.text(key, "1h", start=LOOP))
    one.replace(one.text(key, "1", start=LOOP))
    one.systemd.run("systemctl", "stop", one.name, timeout_seconds=20)
    assert one.show("Result") == "timeout"


def kill_mode(one: Subject) -> None:
    """Whether a child outlives the service."""
    key = ("Service", "KillMode")
    record = one.systemd.share / f"{one.name}.child"
    start = f"/bin/sh -c 'sleep infinity & echo $$! > {record}; wait'"
    one.begin(one.text(key, "control-group", start=start))
    deadline = time.monotonic() + 10
    while not (record.exists() and record.read_text().strip()) and time.monotonic() < deadline:
        time.sleep(0.05)
    child = record.read_text().strip()
    one.replace(one.text(key, "process", start=start))
    one.systemd.run("systemctl", "stop", one.name)
    assert one.systemd.run("kill", "-0", child, check=False).returncode == 0
    one.systemd.run("kill", "-KILL", child)


SEEN: dict[tuple[str, str], Callable[[Subject], None]] = {
    ("Unit", "Description"): description,
    ("Unit", "After"): after,
    ("Unit", "Wants"): wants,
    ("Unit", "Requires"): requires,
    ("Unit", "StartLimitBurst"): start_limit_burst,
    ("Unit", "StartLimitIntervalSec"): start_limit_interval,
    ("Service", "Restart"): restart,
    ("Service", "RestartSec"): restart_sec,
    ("Service", "TimeoutStartSec"): timeout_start,
    ("Service", "TimeoutStopSec"): timeout_stop,
    ("Service", "KillMode"): kill_mode,
}


def test_every_setting_that_is_listed_was_looked_at() -> None:
    assert SEEN.keys() == RELOADED


@pytest.mark.parametrize("key", sorted(SEEN), ids="-".join)
def test_it_reaches_a_running_service_by_a_daemon_reload(subject: Subject, key: tuple[str, str]) -> None:
    SEEN[key](subject)


@pytest.mark.parametrize(
    ("line", "file", "after"),
    [
        ("Environment=SEEN=2", "environ", "SEEN=2"),
        ("LimitNOFILE=4096", "limits", "4096"),
        ("Nice=5", "stat", " 25 5 "),
        ("OOMScoreAdjust=500", "oom_score_adj", "500"),
        ("WorkingDirectory=/usr", "cwd", "/usr"),
    ],
)
def test_what_the_process_was_started_with_stays(subject: Subject, line: str, file: str, after: str) -> None:
    """Such a setting is shown as it is in the file, and the process does not have it: it takes a restart."""
    key, _, value = line.partition("=")
    before = subject.text()
    replaced = subject.text(("Service", key), value)
    assert effect_of(before, replaced).effect is Effect.RESTART
    subject.begin(before)
    subject.replace(replaced)
    assert after not in state(subject, file)
    subject.systemd.run("systemctl", "restart", subject.name)
    assert after in state(subject, file)


def state(subject: Subject, file: str) -> str:
    """What the kernel says of the process."""
    path = f"/proc/{subject.show('MainPID')}/{file}"
    return subject.systemd.run(*(["readlink", path] if file == "cwd" else ["cat", path])).stdout


def test_what_starts_at_boot_is_read_when_a_unit_is_enabled(subject: Subject) -> None:
    """[Install] does not reach systemd by a reload: whoever installs the unit enables it anew."""
    wanted = ("Install", "WantedBy")
    subject.begin(subject.text(wanted, "multi-user.target"))
    subject.systemd.run("systemctl", "enable", subject.name)
    other = subject.text(wanted, "graphical.target")
    assert effect_of(subject.text(wanted, "multi-user.target"), other).effect is Effect.RELOAD
    subject.replace(other)
    assert "multi-user.target" in subject.show("WantedBy")
    subject.systemd.run("systemctl", "reenable", subject.name)
    folder = "/etc/systemd/system"
    assert subject.systemd.run("ls", f"{folder}/graphical.target.wants").stdout.split() == [subject.name]
    assert subject.systemd.show(subject.name, "MainPID", "InvocationID") == subject.process
    subject.systemd.run("systemctl", "disable", subject.name)


def test_x_keys_and_comments_are_nothing_to_systemd(subject: Subject) -> None:
    before = subject.text()
    refreshed = f"# a comment\n[X-Ours]\nKillMode=mixed\n{before}X-Sgfleet-Commit=1\n"
    assert effect_of(before, refreshed).effect is Effect.REFRESH
    subject.begin(before)
    old = acted_on(subject)
    subject.replace(refreshed)
    assert acted_on(subject) == old


def acted_on(subject: Subject) -> dict[str, object]:
    """What systemd has of the unit, without its clocks and counters."""
    shown = subject.systemd.show(subject.name)
    kept = {key: set(value.split()) for key, value in shown.items() if not key.startswith(RUNNING)}
    return {**kept, "ExecStart": shown["ExecStart"].partition("; ignore_errors")[0]}


RUNNING = ("StateChange", "CPUUsage", "Memory", "Tasks", "IO", "IP", "NeedDaemonReload", "ExecStart")
