"""`sgfleet agent` from the command line: what people ask for is done, logged, and refused with a reason."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import jsonschema
import pytest

from agent.exposition import of, read
from agent.told import HEAD, NEW, OLD
from sgfleet.agent import hands as outside
from sgfleet.agent import tick
from sgfleet.agent.hands import Hands
from sgfleet.agent.host import Now
from sgfleet.agent.installed import stamped
from sgfleet.agent.local import load
from sgfleet.agent.outcome import Outcome
from sgfleet.agent.reason import Reason
from sgfleet.agent.record import Attempt, Phase, Record
from sgfleet.agent.seen import Wanted
from sgfleet.agent.state import HostState, ServiceState, Shown
from sgfleet.agent.store import Store
from sgfleet.cli.agent import host as cli_host
from sgfleet.cli.agent import passes
from sgfleet.cli.common import UsageError
from sgfleet.cli.main import main
from sgfleet.render.identity import unit_hash
from sgfleet.systemd import manager as real
from sgfleet.systemd.port import Failure, SystemdError
from support.agent_host import AgentHost
from support.simulated_systemd import SimulatedSystemd

ROOT = Path(__file__).parents[2]
PROGRAM = Path(sys.executable).with_name("sgfleet")
SCHEMAS = {
    each: json.loads((ROOT / f"schema/output/{each}").read_text())
    for each in ("agent-status.schema.json", "agent-log.schema.json")
}
UNIT = "[Unit]\nX-Sgfleet-Host=box-01\nX-Sgfleet-Service=sglang-a\nX-Sgfleet-Unit=x\n[Service]\nExecStart=/bin/true\n"


class Clock:
    def now(self):
        return Now(time.time(), time.monotonic(), "boot", 0)

    def sleep(self, seconds):
        pass


@dataclasses.dataclass
class Host:
    """A host whose systemd is simulated."""

    config: Path
    store: Store
    manager: SimulatedSystemd
    capsys: pytest.CaptureFixture

    def __call__(self, *words):
        """Exit code, standard output, standard error."""
        code = main(["agent", *words, "--config", str(self.config)])
        said = self.capsys.readouterr()
        return code, said.out, said.err

    def last(self):
        return self.store.logged(1)[0]

    def record(self):
        return self.store.load().services["sglang-a"].record


@pytest.fixture
def host(tmp_path, monkeypatch, capsys):
    config = tmp_path / "agent.toml"
    textfile = tmp_path / "sgfleet.prom"
    config.write_text(
        f'host = "box-01"\nstate = "{tmp_path}/state"\n[repository]\nurl = "/nowhere/fleet.git"\n'
        f'[trust]\nmode = "none"\n[report]\ntextfile = "{textfile}"\n'
    )
    store, manager = Store(tmp_path / "state"), SimulatedSystemd()
    hands = Hands(manager, None, store, Clock(), None, "this", lambda *_: None)
    monkeypatch.setattr(outside, "hands_of", lambda _: hands)
    monkeypatch.setattr(real.SystemdManager, "system", classmethod(lambda cls: manager))
    monkeypatch.setattr(cli_host, "LOCK_SECONDS", 0.2)
    return Host(config, store, manager, capsys)


def put(host, record=None, *, wanted=OLD, word="steady", reason=None, **more):
    state = HostState(head=HEAD, read="x", **more)
    each = ServiceState(record or Record(OLD), Wanted(wanted), shown=Shown(word, reason, 5.0), asked=(wanted, 1.0, 2.0))
    host.store.prepare()
    host.store.save(state._replace(services={"sglang-a": each}))


def test_a_freeze_is_set_kept_logged_and_ended(host):
    code, out, _ = host("freeze", "benchmark until noon", "--for", "2h")
    assert code == 0
    assert "nothing new begins" in out
    found = Store(host.store.folder).freeze()
    assert found.reason == "benchmark until noon"
    assert found.until_seconds - found.since_seconds == 7200
    assert (host.last()["request"], host.last()["reason"]) == ("freeze", "benchmark until noon")
    assert host.last()["by"]
    assert host("unfreeze")[0] == 0
    assert host.store.freeze() is None
    assert host.last()["request"] == "unfreeze"
    assert host("unfreeze")[1] == "it was not frozen\n"


def test_a_freeze_waits_for_no_pass(host):
    with host.store.lock():
        assert host("freeze", "now")[0] == 0
    assert host.store.freeze().until_seconds is None


@pytest.mark.parametrize(
    "words",
    [
        ("freeze", " "),
        ("freeze", "x", "--for", "2"),
        ("freeze", "x", "--for", "soon"),
        ("freeze", "x", "--for", "0s"),
        ("tick", "--wait", "soon"),
        ("retry", "sglang-b"),
        ("rollback", "sglang-a", "--why", ""),
        ("confirm", "../../etc"),
    ],
)
def test_what_cannot_be_meant_changes_nothing(host, words):
    put(host)
    before = host.store.load()
    with pytest.raises(UsageError) as error:
        host(*words)
    assert error.value.message
    assert host.store.load() == before
    assert host.store.freeze() is None
    assert host.store.logged(1) == []


def test_retry_forgets_what_failed(host):
    failed = Record(OLD, quarantine=((NEW, Reason("x", "y")),), broken=Reason("x", "y"))
    put(host, failed, wanted=NEW, word="broken")
    code, out, _ = host("retry")
    assert code == 0
    assert out.startswith("sglang-a: the next pass does it")
    assert host.record() == Record(OLD, again=True)
    assert host.store.load().services["sglang-a"].asked is None
    assert (host.last()["request"], host.last()["service"]) == ("retry", "sglang-a")


def test_retry_of_all_leaves_what_is_well(host):
    put(host)
    code, _, err = host("retry")
    assert code == 1
    assert "nothing failed here" in err
    assert host("retry", "sglang-a")[0] == 0
    assert host.record().again


def test_rollback_goes_to_the_unit_before(host):
    put(host, Record(OLD, previous=NEW))
    assert host("rollback", "sglang-a", "--why", "too slow")[0] == 0
    record = host.record()
    assert (record.attempt.goal, record.attempt.back, record.attempt.failed) == (NEW, True, OLD)
    assert record.failure(OLD).text == "taken back by a person: too slow"
    assert host.last()["reason"] == "too slow"


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (Record(OLD), "has no unit before"),
        (Record(OLD, attempt=Attempt(OLD, Phase.GATING, back=True)), "on its way back"),
    ],
)
def test_rollback_says_why_it_cannot(host, record, said):
    put(host, record)
    code, _, err = host("rollback", "sglang-a", "--why", "too slow")
    assert code == 1
    assert said in err
    assert host.record() == record


def test_confirm_lets_in_what_waits_and_forgets_older_words(host):
    put(host, wanted=NEW, word="pending", confirmed=("0" * 64,))
    assert host("confirm", "sglang-a")[0] == 0
    assert host.store.load().confirmed == (f"sglang-a {NEW}",)
    assert host.last()["unit"] == NEW
    put(host)
    code, _, err = host("confirm", "sglang-a")
    assert code == 1
    assert "waits for nobody" in err


def test_a_request_waits_for_the_pass_that_runs(host, monkeypatch):
    put(host, Record(OLD, broken=Reason("x", "y")))
    monkeypatch.setattr(cli_host, "LOCK_SECONDS", 30.0)
    with host.store.lock():
        thread = threading.Thread(target=main, args=(["agent", "retry", "--config", str(host.config)],))
        thread.start()
        time.sleep(0.3)
        assert host.record().broken
    thread.join(30)
    assert host.record().again


def test_a_pass_that_does_not_end_is_said(host):
    put(host)
    with host.store.lock():
        code, _, err = host("retry", "sglang-a")
    assert code == 1
    assert "another pass has been under way" in err


@pytest.mark.parametrize("words", [("retry",), ("rollback", "sglang-a", "--why", "x"), ("status",)])
def test_a_systemd_that_does_not_answer_is_one_line(host, words, monkeypatch):
    put(host, Record(OLD, previous=NEW, broken=Reason("x", "y")))

    def refuse(*_):
        raise SystemdError(Failure.NOT_RUNNING, "no manager answers")

    monkeypatch.setattr(host.manager, "installed", refuse, raising=False)
    code, _, err = host(*words)
    assert (code, err) == (1, "error: no manager answers\n")


def test_a_folder_of_somebody_else_is_one_line(host, monkeypatch):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(Store, "load", refuse)
    code, _, err = host("status")
    assert code == 1
    assert "belongs to another user" in err


def test_status_needs_no_state(host):
    host.manager.install("sglang-a.service", stamped(UNIT, HEAD))
    code, out, _ = host("status")
    assert code == 10
    assert f"sglang-a  unknown, commit {HEAD[:12]}: nothing is remembered of it; next: " in out
    document = json.loads(host("status", "--format", "json")[1])
    jsonschema.Draft202012Validator(SCHEMAS["agent-status.schema.json"]).validate(document)
    assert document["services"]["sglang-a"]["installed"] == unit_hash(UNIT)
    assert document["services"]["sglang-a"]["systemd"] == "inactive (dead)"


def test_status_shows_nothing_that_a_terminal_acts_on(host):
    put(host, word="blocked", reason=Reason("x", "\x1b[2Jgone", "\x07"))
    code, out, _ = host("status")
    assert code == 20
    assert "\x1b" not in out
    assert "\x07" not in out


def test_the_log_in_both_forms(host):
    host.store.prepare()
    entry = {"service": "sglang-a", "former": None, "state": "steady", "code": None, "reason": None, "commit": HEAD}
    host.store.log({"at_seconds": 0.0, **entry})
    host.store.log({"at_seconds": 60.0, **entry, "former": "steady", "state": "blocked", "reason": "no\x1b room"})
    host.store.log({"at_seconds": 61.0, "service": "sglang-a", "hook": "/bin/false ended with 1"})
    with (host.store.folder / "log.jsonl").open("a") as file:
        file.write('7\n{"torn": \n')
    assert host("freeze", "x")[0] == 0
    lines = host("log")[1].splitlines()
    assert lines[0] == f"1970-01-01 00:00:00Z  sglang-a  new -> steady ({HEAD[:12]})"
    assert lines[1] == f"1970-01-01 00:01:00Z  sglang-a  steady -> blocked ({HEAD[:12]}): no␛ room"
    assert lines[2] == "1970-01-01 00:01:01Z  service: sglang-a  hook: /bin/false ended with 1"
    assert "request: freeze" in lines[3]
    document = json.loads(host("log", "--lines", "4", "--format", "json")[1])
    jsonschema.Draft202012Validator(SCHEMAS["agent-log.schema.json"]).validate(document)
    assert [entry.get("request") for entry in document["entries"]] == [None, "freeze"]
    assert host("log", "--lines", "1")[1].count("\n") == 1


def outcome(code, record=None, word="steady", reason=None):
    each = ServiceState(record or Record(OLD), Wanted(OLD), shown=Shown(word, reason, 5.0))
    return Outcome(code, (f"sglang-a: {word}",), HostState(head=HEAD, services={"sglang-a": each}))


BUSY = Outcome(10, ("another pass is under way",), HostState())
UNDER_WAY = outcome(10, Record(OLD, attempt=Attempt(NEW)), "gating")
WAITS = outcome(10, word="pending", reason=Reason("lock", "waits for sglang-b"))


@pytest.fixture
def agent(monkeypatch):
    """An agent whose passes end as they are told; how long each was to wait is kept."""
    told, patience = [], []

    class Told:
        def __init__(self, local, hands):
            pass

        def tick(self, seconds):
            patience.append(seconds)
            return told.pop(0) if len(told) > 1 else told[0]

    monkeypatch.setattr(tick, "Agent", Told)
    monkeypatch.setattr(passes, "_BETWEEN_SECONDS", 0.0)
    return told, patience


@pytest.mark.parametrize("code", [0, 10, 20, 30, 40])
def test_the_code_of_a_pass_is_that_of_the_command(host, agent, code):
    agent[0].append(outcome(code, word="steady"))
    assert host("tick")[:2] == (code, "sglang-a: steady\n")
    assert agent[1] == [passes.PATIENCE_SECONDS]
    assert host("tick", "--quiet")[1] == ("" if code == 0 else "sglang-a: steady\n")


def test_waiting_goes_on_until_it_is_settled(host, agent):
    agent[0].extend([BUSY, UNDER_WAY, WAITS, outcome(30, word="rolled-back")])
    assert host("tick", "--wait")[0] == 30
    assert len(agent[1]) == 4


@pytest.mark.parametrize("code", ["confirm", "window", "report"])
def test_waiting_does_not_wait_for_people_or_windows(host, agent, code):
    agent[0].append(outcome(10, word="pending", reason=Reason(code, "waits")))
    assert host("tick", "--wait")[0] == 10
    assert len(agent[1]) == 1


def test_waiting_has_an_end(host, agent):
    agent[0].append(UNDER_WAY)
    assert host("tick", "--wait", "1s")[0] == 10
    assert all(0 <= seconds <= 1 for seconds in agent[1])


def test_a_pass_writes_the_metrics(host, agent):
    agent[0].append(outcome(0))
    host("tick")
    textfile = load(host.config).textfile
    samples = read(textfile.read_text())
    assert of(samples, "sgfleet_service_state", service="sglang-a", state="steady") == [1]
    textfile.unlink()
    textfile.mkdir()
    code, _, err = host("tick")
    assert code == 0
    assert err.startswith("warning: the metrics cannot be written")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tick",), "agent.toml is missing"),
        (("status",), "sgfleet agent install writes it"),
        (("freeze", "x"), "agent.toml is missing"),
        (("install",), "--url does not say"),
        (("install", "--url", "/srv/fleet.git"), "nothing says whose signatures count"),
        (("install", "--url", "ext::sh", "--unsigned"), "remote helper"),
        (("install", "--url", "ssh://git@h/x", "--unsigned"), "known-hosts"),
        (("log", "--lines", "0"), "no number of lines"),
        ((), "required"),
    ],
)
def test_a_call_that_makes_no_sense_is_exit_2(words, said, tmp_path):
    words = [*words, "--config", str(tmp_path / "agent.toml")] if words else []
    done = subprocess.run([PROGRAM, "agent", *words], capture_output=True, text=True)
    assert done.returncode == 2
    assert said in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_file_with_a_fault_is_named(host):
    host.config.write_text("hots = 1\n")
    with pytest.raises(UsageError, match=re.escape(f"{host.config}: hots: is not known")):
        host("status")


@pytest.fixture
def real_host(systemd, tmp_path):
    found = AgentHost(systemd, tmp_path)
    yield found
    systemd.run(PROGRAM, "agent", "remove")
    found.clean()


def test_a_service_comes_up_under_the_agents_own_unit_and_people_act_on_it(systemd, real_host):
    """Everything that a pass does, from the walls that `install` puts around it; then what people ask for."""

    def agent(*words, check=True):
        return systemd.run(PROGRAM, "agent", *words, "--config", real_host.config, check=check)

    with real_host.config.open("a") as file:
        hook = real_host.folder / "hook"
        hook.write_text(f'#!/bin/sh\necho "$SGFLEET_SERVICE $SGFLEET_STATE" >> {real_host.state}/told\n')
        hook.chmod(0o755)
        file.write(f'[report]\ntextfile = "{real_host.state}/sgfleet.prom"\nhook = ["{hook}"]\n')
    first = real_host.push()
    agent("install")
    systemd.run("systemctl", "stop", "sgfleet-agent.timer")
    for _ in range(10):
        systemd.start("sgfleet-agent.service")
        if systemd.show("sgfleet-agent.service", "ExecMainStatus")["ExecMainStatus"] == "0":
            break
    status = agent("status", check=False)
    assert status.returncode == 0, f"{status.stdout}{systemd.journal('sgfleet-agent.service')}"
    assert re.search(rf"^sglang-a  steady, since .*, commit {first[:12]}$", status.stdout, re.MULTILINE)
    assert (real_host.state / "told").read_text().splitlines()[-1] == "sglang-a steady"
    samples = read((real_host.state / "sgfleet.prom").read_text())
    assert of(samples, "sgfleet_service_state", service="sglang-a", state="steady") == [1]
    assert of(samples, "sgfleet_applied_info", service="sglang-a", commit=first) == [1]

    before = real_host.runs()["InvocationID"]
    written = (real_host.state / "state.json").stat().st_mtime_ns
    words = (PROGRAM, "agent", "tick", "--config", real_host.config)
    imported = systemd.run(sys.executable, "-X", "importtime", *words).stderr
    assert "sgfleet.agent.tick" in imported
    heavy = ("pydantic", "yaml", "jsonschema", "sgfleet.rules", "sgfleet.memory", "sgfleet.engine", "sgfleet.spec")
    assert not [line for line in imported.splitlines() if line.rpartition("|")[2].strip().startswith(heavy)]
    assert (real_host.state / "state.json").stat().st_mtime_ns == written
    real_host.push({"log-level": "error"})
    agent("freeze", "a benchmark")
    frozen = agent("tick", check=False)
    assert frozen.returncode == 10
    assert "frozen: a benchmark" in frozen.stdout
    assert real_host.runs()["InvocationID"] == before
    agent("unfreeze")
    assert agent("tick", "--wait", "2m", check=False).returncode == 0
    second = real_host.runs()["InvocationID"]
    assert second != before

    agent("rollback", "sglang-a", "--why", "slower")
    back = agent("tick", "--wait", "2m", check=False)
    assert back.returncode == 30, back.stdout
    assert "taken back by a person: slower" in back.stdout
    assert real_host.runs()["InvocationID"] not in {before, second}
    agent("retry")
    assert agent("tick", "--wait", "2m", check=False).returncode == 0
    assert "log-level" in real_host.file()
    said = [entry.get("request") for entry in json.loads(agent("log", "--format", "json").stdout)["entries"]]
    assert [each for each in said if each] == ["freeze", "unfreeze", "rollback", "retry"]

    agent("remove")
    assert real_host.runs()["ActiveState"] == "active"
    (real_host.state / "state.json").unlink()
    lost = agent("status", check=False)
    assert lost.returncode == 10
    assert "sglang-a  unknown, commit" in lost.stdout


def test_a_freeze_is_not_ended_sooner_by_another_one(host):
    assert host("freeze", "benchmark", "--for", "2h")[0] == 0
    code, _, err = host("freeze", "again", "--for", "1s")
    assert code == 1
    assert "benchmark" in err
    assert Store(host.store.folder).freeze().reason == "benchmark"
    code, out, _ = host("freeze", "for longer", "--for", "3h")
    assert code == 0
    assert "in the place of: benchmark" in out


def test_what_status_tells_to_retry_is_retried_without_a_name(host):
    put(host, word="broken", reason=Reason("stopped", "the service was stopped on the host"))
    code, out, _ = host("retry")
    assert code == 0
    assert "sglang-a" in out
    assert host.record().again


def test_a_refused_commit_of_main_stays_in_the_log(host):
    host.store.prepare()
    entry = {
        "at_seconds": 1.0,
        "service": "",
        "former": None,
        "state": "refused",
        "commit": HEAD,
        "reason": "not signed",
    }
    host.store.log(entry)
    code, out, _ = host("log")
    assert code == 0
    assert f"main  refused ({HEAD[:12]}): not signed" in out
