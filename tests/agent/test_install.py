"""The agent put on a host and taken away, on a real systemd; its unit lets through what it does, and little else."""

from __future__ import annotations

import argparse
import errno
import os
import re
import sys
import time
from pathlib import Path

import pytest

from sgfleet.agent import local as agent_toml
from sgfleet.agent.install import FailedInstallError, install
from sgfleet.agent.own_unit import SERVICE, TIMER, Setup, UnfitError, config, service, timer
from sgfleet.agent.toml_keys import LocalError
from sgfleet.agent.trust import Mode
from sgfleet.cli.commands import agent as agent_command
from sgfleet.cli.common import UsageError
from sgfleet.cli.main import main
from sgfleet.systemd.port import Failure, FileKind, SystemdError
from support.private_systemd.users import lingering_user
from support.simulated_systemd import SimulatedSystemd
from support.simulated_systemd.script import Script
from support.simulated_systemd.world import Fault

ROOT = Path(__file__).parents[2]
PROGRAM = Path(sys.executable).with_name("sgfleet")
SETUP = Setup("box-01", "https://git.example.org/fleet.git", allowed_signers="/etc/sgfleet/allowed_signers")
PAGE = ROOT / "docs/explanation/agent.md"


def test_the_file_that_is_written_is_one_that_is_read():
    found = agent_toml.parse(config(SETUP))
    assert (found.host, found.remote.url, found.remote.branch) == ("box-01", SETUP.url, "main")
    assert found.signers.mode is Mode.SIGNED
    assert found.apply


def test_everything_that_is_said_is_in_it():
    setup = SETUP._replace(
        url="ssh://git@git.example.org/fleet.git",
        branch="live",
        known_hosts="/etc/sgfleet/known_hosts",
        identity="credential:key",
        gpg_home="/etc/sgfleet/gpg",
        textfile="/var/lib/node/sgfleet.prom",
        report=True,
        scope="user",
        state="/home/a/.local/state/sgfleet",
    )
    found = agent_toml.parse(config(setup))
    assert found.remote.branch == "live"
    assert (found.remote.identity, found.remote.known_hosts) == ("credential:key", "/etc/sgfleet/known_hosts")
    assert found.textfile == Path("/var/lib/node/sgfleet.prom")
    assert (found.apply, found.scope, found.state) == (False, "user", Path("/home/a/.local/state/sgfleet"))
    assert agent_toml.parse(config(SETUP._replace(unsigned=True))).signers.mode is Mode.NONE


def test_every_line_that_is_only_proposed_can_be_taken_as_it_is():
    text = re.sub(r"^# (?=[a-z]+ = )", "", config(SETUP), flags=re.MULTILINE)
    assert text.count("\n# ") < config(SETUP).count("\n# ")
    found = agent_toml.parse(text)
    assert found.confirm
    assert found.limits.services == ("sglang-*",)
    assert found.hook == ("/usr/local/bin/page",)


@pytest.mark.parametrize("bad", ['a"\n[limits]\nx="', "a\x7fb", "", "\udcff", "UPPER"])
def test_a_name_that_is_none_writes_nothing(bad, tmp_path):
    manager, path = SimulatedSystemd(), tmp_path / "agent.toml"
    with pytest.raises(LocalError):
        install(manager, path, SETUP._replace(host=bad), (str(PROGRAM),))
    assert not path.exists()
    assert manager.installed() == ()


@pytest.mark.parametrize("scope", ["system", "user"])
def test_systemd_has_nothing_against_the_service(scope, systemd):
    parsed = agent_toml.parse(config(SETUP._replace(scope=scope, textfile="/var/lib/node/x.prom")))
    text = service(parsed, (str(PROGRAM),), Path("/etc/sg fleet/50%/agent.toml"))
    for name, each in ((SERVICE, text), (TIMER, timer())):
        file = systemd.share / name
        file.write_text(each)
        argv = ("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", file)
        assert systemd.run(*argv, check=False).stdout == ""


def test_a_credential_is_handed_over_and_folders_are_opened():
    parsed = agent_toml.parse(config(SETUP._replace(token="credential:git-token", state="/srv/sgfleet")))
    text = service(parsed, (str(PROGRAM),), Path("/etc/sgfleet/agent.toml"))
    assert "LoadCredential=git-token:/etc/sgfleet/credentials/git-token\n" in text
    assert "ReadWritePaths=/srv/sgfleet\n" in text
    assert "StateDirectory" not in text


def test_a_folder_that_no_unit_can_name_is_refused():
    with pytest.raises(UnfitError):
        service(agent_toml.parse(config(SETUP._replace(state="/srv/a b"))), (str(PROGRAM),), Path("/etc/x"))


def test_what_stands_in_the_way_of_the_unit_is_left(tmp_path):
    from sgfleet.systemd.port import UnitFile

    manager = SimulatedSystemd()
    manager.put(SERVICE, UnitFile(FileKind.MASKED, target="/dev/null"))
    with pytest.raises(FailedInstallError):
        install(manager, tmp_path / "agent.toml", SETUP._replace(state=str(tmp_path / "state")), (str(PROGRAM),))
    assert manager.read(SERVICE).kind is FileKind.MASKED
    assert list(tmp_path.iterdir()) == []


class Failing:
    """A manager of which one call fails, or that one and all after it; what it is asked is counted."""

    def __init__(self, manager, at, *, lasting):
        self._manager, self._at, self._lasting, self.asked = manager, at, lasting, 0

    def __getattr__(self, name):
        def call(*words):
            self.asked += 1
            if self.asked == self._at or (self._lasting and self.asked > self._at):
                raise SystemdError(Failure.REFUSED, f"{name} is refused")
            return getattr(self._manager, name)(*words)

        return call


def as_it_is(folder, manager):
    """The host: files, what stands in the units' places, and the timer."""
    state = manager.show((TIMER,))[TIMER]
    files = {path: path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}
    return files, [manager.read(name) for name in (SERVICE, TIMER)], state.unit_file_state, state.active_state


def before(kind, folder):
    """A host without the agent, and one with an older one, whose timer somebody has stopped."""
    manager = SimulatedSystemd(read=lambda _: Script(wanted=True))
    if kind == "renewed":
        install(manager, folder / "etc/sgfleet/agent.toml", here(folder), ("/usr/bin/older",))
        manager.stop(TIMER)
    return manager


def here(folder):
    return SETUP._replace(state=str(folder / "lib/sgfleet"))


def left_of(manager, folder):
    """What a failed installation says it has left; None where it did not fail."""
    try:
        install(manager, folder / "etc/sgfleet/agent.toml", here(folder), (str(PROGRAM),))
    except FailedInstallError as error:
        return error.left
    return None


@pytest.mark.parametrize("kind", ["new", "renewed"])
def test_whichever_step_fails_the_host_is_as_before(kind, tmp_path):
    for at in range(1, 30):
        folder = tmp_path / str(at)
        folder.mkdir()
        manager = before(kind, folder)
        was, failing = as_it_is(folder, manager), Failing(manager, at, lasting=False)
        if (left := left_of(failing, folder)) is None:
            assert failing.asked < at
            assert at > 8
            return
        assert (left, as_it_is(folder, manager)) == ((), was), at
    raise AssertionError


@pytest.mark.parametrize("kind", ["new", "renewed"])
def test_what_cannot_be_taken_back_is_named(kind, tmp_path):
    for at in range(1, 30):
        folder = tmp_path / str(at)
        folder.mkdir()
        manager = before(kind, folder)
        was = as_it_is(folder, manager)
        left = left_of(Failing(manager, at, lasting=True), folder)
        if left is None:
            return
        files, units, *_ = as_it_is(folder, manager)
        assert files == was[0]  # no manager is needed for these
        for name, now, then in zip((SERVICE, TIMER), units, was[1], strict=True):
            assert now == then or any(line.startswith(f"{name} (") for line in left)
    raise AssertionError


@pytest.mark.parametrize("at", range(1, 12))
def test_a_disk_that_fails_leaves_nothing_either(at, tmp_path, monkeypatch):
    real, seen = os.fsync, []

    def fsync(descriptor):
        seen.append(descriptor)
        if len(seen) == at:
            raise OSError(errno.ENOSPC, "no space left on device")
        real(descriptor)

    manager = before("new", tmp_path)
    was = as_it_is(tmp_path, manager)
    monkeypatch.setattr(os, "fsync", fsync)
    if (left := left_of(manager, tmp_path)) is not None:
        assert (left, as_it_is(tmp_path, manager)) == ((), was)


def test_without_a_manager_nothing_is_begun(tmp_path):
    manager = before("new", tmp_path)
    manager.set_faults(Fault.DOWN)
    assert left_of(manager, tmp_path) == ()
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def called(tmp_path, monkeypatch, capsys):
    """`sgfleet agent install` on a host whose systemd is simulated; exit code and standard error."""
    manager = before("new", tmp_path)
    monkeypatch.setattr("sgfleet.systemd.manager.SystemdManager.user", classmethod(lambda cls: manager))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [str(PROGRAM)])

    def call(*words, fault=None):
        manager.set_faults(*filter(None, [fault]))
        try:
            code = main(["agent", "install", "--user", "--url", "/srv/fleet.git", "--host", "box-01", *words])
        except UsageError as error:
            return 2, f"{error.message}\n{error.help}"
        return code, capsys.readouterr().err

    return call


def test_a_failed_installation_says_what_it_left(called, tmp_path):
    code, said = called("--unsigned", fault=Fault.DOWN)
    assert (code, list(tmp_path.iterdir())) == (1, [])
    assert "help: nothing of it is left: once that is mended, call it again" in said
    code, said = called("--unsigned", fault=Fault.LOST_ANSWER)
    assert code == 1
    assert "it was taken back but for what systemd has read of it: systemctl --user daemon-reload (" in said
    assert called("--unsigned")[0] == 0


def test_report_is_a_mode_of_the_agent_that_is_installed(called, tmp_path):
    assert called("--unsigned", "--report")[0] == 0
    assert not agent_toml.load(tmp_path / ".config/sgfleet/agent.toml").apply


def test_no_option_is_lost_on_a_file_that_is_there(called, tmp_path):
    """Every option of `install` that goes into the file: said once more in another way, it is refused."""
    signers = tmp_path / "signers"
    signers.touch()
    assert called("--allowed-signers", str(signers))[0] == 0
    parser = argparse.ArgumentParser()
    agent_command.add_setup(parser)
    options = [action for action in parser._actions if action.dest != "help"]
    assert len(options) > 10
    for action in options:
        words = [action.option_strings[0], *(["/srv/else"] if action.nargs != 0 else [])]
        code, said = called(*words)
        assert code == 2, action
        assert "is there and says" in said, action


@pytest.fixture
def agent(systemd):
    """`sgfleet agent …` inside."""

    def call(*words, check=True, become=()):
        return systemd.run(*become, PROGRAM, "agent", *words, check=check)

    yield call
    call("remove")
    systemd.run("rm", "-rf", "/etc/sgfleet", "/var/lib/sgfleet", "/var/lib/node")


@pytest.fixture
def repository(systemd):
    path = systemd.share / "face.git"
    if not path.exists():
        systemd.run("git", "init", "-q", "-b", "main", path)
        person = ("-c", "user.name=a", "-c", "user.email=a@b")
        systemd.run("git", "-C", path, *person, "commit", "-q", "--allow-empty", "-m", "empty")
    return path


def until(holds, seconds=30):
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def test_installed_it_runs_and_removed_it_is_gone(systemd, agent, repository):
    words = ("--unsigned", "--host", "box-01", "--url", repository, "--textfile", "/var/lib/node/sgfleet.prom")
    systemd.run("mkdir", "-p", "/var/lib/node")
    done = agent("install", *words)
    assert done.stdout.splitlines() == [
        "wrote /etc/sgfleet/agent.toml",
        f"wrote {SERVICE}",
        f"wrote {TIMER}",
        f"enabled and started {TIMER}",
    ]
    assert agent("install").stdout.count("kept") == 3
    shown = systemd.show(TIMER, "ActiveState", "UnitFileState")
    assert (shown["ActiveState"], shown["UnitFileState"]) == ("active", "enabled")

    # The timer's own clock is too slow for a test: the same timer with a second instead of a minute.
    systemd.install(f"{TIMER}.d/soon.conf", "[Timer]\nOnActiveSec=1s\nOnUnitInactiveSec=1s\nRandomizedDelaySec=0\n")
    systemd.run("systemctl", "restart", TIMER)
    runs = until(lambda: systemd.journal(SERVICE).count("main has no folder hosts/box-01") >= 2)
    assert runs
    shown = systemd.show(SERVICE, "Result", "ExecMainStatus")
    assert (shown["Result"], shown["ExecMainStatus"]) == ("success", "20")
    assert "sgfleet_trouble 1" in systemd.path("/var/lib/node/sgfleet.prom").read_text()
    assert systemd.run("stat", "-c", "%a", "/var/lib/sgfleet").stdout == "700\n"
    systemd.run("rm", "-r", f"/etc/systemd/system/{TIMER}.d")

    done = agent("remove")
    assert "left as they are" in done.stdout
    assert agent("remove").returncode == 0
    for name in (SERVICE, TIMER):
        assert systemd.show(name, "LoadState")["LoadState"] == "not-found"
    assert systemd.path("/etc/sgfleet/agent.toml").exists()
    assert systemd.path("/var/lib/sgfleet/state.json").exists()
    left = systemd.run("find", "/etc/systemd/system", "-name", "*sgfleet*").stdout
    assert left == ""


def test_the_sandbox_lets_the_work_through_and_little_else(systemd, agent, repository):
    systemd.run("mkdir", "-p", "/var/lib/node")
    agent("install", "--unsigned", "--host", "box-01", "--url", repository, "--textfile", "/var/lib/node/sgfleet.prom")
    systemd.run("systemctl", "stop", TIMER)
    systemd.run("chown", "nobody", "/var/lib/node")
    systemd.run("sh", "-c", "echo A=b > /home/secret.env; chmod 400 /home/secret.env; chown nobody /home/secret.env")
    systemd.run("sh", "-c", "echo x > /tmp/sandbox-try")
    sleeper = ("systemd-run", "--quiet", "--uid=nobody", "--unit=sandbox-sleeper", "sleep", "1000")
    systemd.run(*sleeper)
    pid = systemd.show("sandbox-sleeper.service", "MainPID")["MainPID"]
    words = f"{sys.executable} {ROOT}/tests/agent/sandboxed.py /var/lib/node/sgfleet.prom {repository} {pid}"
    systemd.install(f"{SERVICE}.d/try.conf", f"[Service]\nExecStart=\nExecStart={words}\n")
    try:
        systemd.run("systemctl", "stop", SERVICE)  # the timer's own pass may be under way: a start would only join it
        systemd.start(SERVICE)
        until = time.monotonic() + 20  # a line may reach the journal after the process is gone
        while (said := systemd.journal(SERVICE)).count("did ") < 25 and time.monotonic() < until:
            time.sleep(0.2)
        assert said.count("did ") == 25, said
        assert "FAULT" not in said, said
    finally:
        systemd.run("rm", "-r", f"/etc/systemd/system/{SERVICE}.d")
        systemd.run("systemctl", "stop", "sandbox-sleeper.service")


def test_the_page_says_how_exposed_the_unit_is(systemd, agent, repository):
    agent("install", "--unsigned", "--host", "box-01", "--url", repository)
    said = systemd.run("systemd-analyze", "security", "--no-pager", SERVICE, check=False).stdout
    level = re.search(rf"Overall exposure level for {SERVICE}: ([\d.]+) OK", said)
    assert level, said[-200:]
    written = re.search(r"`systemd-analyze security` \(systemd (\d+)\) gives it ([\d.]+)", PAGE.read_text())
    assert written
    if systemd.run("systemctl", "--version").stdout.split()[1] == written[1]:
        assert level[1] == written[2]
    assert float(level[1]) < 4  # others weigh a little differently


def test_a_user_has_an_agent_too(systemd, repository):
    user = lingering_user(systemd, "facer")
    home = f"/home/{user.name}"
    words = ("--user", "--unsigned", "--host", "box-01", "--url", repository)
    done = systemd.run(*user.become, PROGRAM, "agent", "install", *words)
    assert f"wrote {home}/.config/sgfleet/agent.toml" in done.stdout
    assert "enable-linger" in done.stderr
    bus = f"XDG_RUNTIME_DIR=/run/user/{user.user_id}"
    control = (*user.become, bus, "systemctl", "--user")
    assert systemd.run(*control, "is-active", TIMER).stdout == "active\n"
    systemd.run(*control, "start", SERVICE, check=False)
    status = systemd.run(*user.become, PROGRAM, "agent", "status", "--user", check=False)
    assert status.stdout.startswith("box-01: ")
    assert "success" in systemd.run(*control, "show", "--property=Result", SERVICE).stdout
    systemd.run(*user.become, PROGRAM, "agent", "remove", "--user")
    assert systemd.run(*control, "is-active", TIMER, check=False).stdout == "inactive\n"


def test_options_that_the_file_does_not_say_are_not_lost_without_a_word(systemd, agent, repository):
    words = ("install", "--unsigned", "--host", "box-01", "--url", repository)
    agent(*words)
    assert "kept /etc/sgfleet/agent.toml" in agent(*words).stdout
    other = agent(*words[:-1], "/srv/other.git", check=False)
    assert other.returncode == 2
    assert f"says {repository}" in other.stderr
    systemd.run("rm", "/etc/sgfleet/agent.toml")
    missing = agent("install", "--allowed-signers", "nowhere", "--host", "box-01", "--url", repository, check=False)
    assert (missing.returncode, "no such file" in missing.stderr) == (2, True)
    assert not systemd.path("/etc/sgfleet/agent.toml").exists()
