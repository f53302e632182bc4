"""`sgfleet check` as a person and a hook meet it: exit codes, targets, formats, and what goes to which stream."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from sgfleet.cli.common import UsageError
from sgfleet.cli.main import main
from sgfleet.findings import Severity
from sgfleet.fleet import spread
from sgfleet.rules import registry, runner, weighing
from sgfleet.rules.registry import Check
from sgfleet.rules.rule import Rule
from sgfleet.spec.repository import Repository

ROOT = Path(__file__).parents[2]
CHECK_SCHEMA = json.loads((ROOT / "schema/output/check.schema.json").read_text())

HOST = """\
host: {host}
services:
  chat:
    release: "0.5.9"
    python: /opt/sglang/bin/python3
    flags:
      model-path: /models/m
"""
FACTS = """\
format: 1
host: {host}
gpus: []
memory: {{available-bytes: 1000000000}}
"""


class Fleet:
    """A repository that a test writes."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def host(self, name: str, text: str = HOST) -> None:
        self.write(f"hosts/{name}/host.yaml", text.replace("{host}", name))


@pytest.fixture
def fleet(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return Fleet(tmp_path)


@pytest.fixture
def only(monkeypatch):
    """Let the given functions be the only rules: `only(service=[check], ...)`; codes count from TST001."""

    def put(severity=Severity.ERROR, **stages):
        called = dict.fromkeys(("service", "machine", "host", "fleet"), ())
        for stage, functions in stages.items():
            called[stage] = tuple(
                Check(Rule(f"TST{number:03}", f"test-{number}", severity, stage), function)
                for number, function in enumerate(functions, start=1)
            )
        monkeypatch.setattr(runner, "checks", lambda: called)
        by_code = {each.rule.code: each.rule for stage in called.values() for each in stage}
        monkeypatch.setattr(weighing, "called", lambda: by_code)

    return put


def says(*problems):
    return lambda view: problems


def test_clean_is_0(fleet, only, capsys):
    only()
    fleet.host("a-01")
    assert main(["check"]) == 0
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err == "no findings in 1 host, 1 service\n"


@pytest.mark.parametrize(("severity", "code"), [("error", 1), ("warning", 1), ("note", 0)])
def test_findings_are_1_and_notes_alone_0(fleet, only, capsys, severity, code):
    from sgfleet.rules.rule import Problem

    only(Severity(severity), service=[says(Problem(("release",), "an old release"))])
    fleet.host("a-01")
    assert main(["check"]) == code
    streams = capsys.readouterr()
    assert streams.out.startswith(f"{severity}[TST001]: an old release\n --> hosts/a-01/host.yaml:4:14\n")
    assert streams.err == f"1 {severity} in 1 of 1 host\n"


def test_no_hosts_are_3(fleet, capsys):
    fleet.write("fleet.yaml", "policy: {}\n")
    assert main(["check"]) == 3
    streams = capsys.readouterr()
    assert "SPC010" in streams.out
    assert "nothing to check" in streams.err


@pytest.mark.parametrize("command", ["check", "render", "show", "memory", "options"])
@pytest.mark.parametrize("kind", ["link", "file"])
def test_hosts_that_cannot_be_listed_are_an_error(fleet, kind, command):
    fleet.write("fleet.yaml", "policy: {}\n")
    fleet.write("elsewhere/a-01/host.yaml", HOST)
    hosts = fleet.root / "hosts"
    hosts.symlink_to("elsewhere") if kind == "link" else hosts.write_text("")
    done = subprocess.run(
        [Path(sys.executable).parent / "sgfleet", command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "error[SRC" in done.stdout


@pytest.mark.parametrize("command", ["check", "render", "show", "memory", "options"])
@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_name_is_not_everything(fleet, command, name):
    fleet.host("a-01")
    with pytest.raises(UsageError, match="empty"):
        main([command, name])
    with pytest.raises(SystemExit) as ended:
        main([command, "--root", ""])
    assert ended.value.code == 2


@pytest.mark.parametrize("command", ["show", "memory", "options"])
def test_a_damaged_schema_is_told_beside_the_answer(fleet, command, capsys):
    fleet.host("a-01")
    fleet.write("schema/sglang/0.5.9.json", "{\n")
    assert main([command]) == 1
    told = capsys.readouterr()
    assert "error[SCH001]: the flag schema of SGLang 0.5.9 cannot be used" in told.err
    assert "chat" in told.out


def test_hosts_without_services_are_3(fleet, only):
    only()
    fleet.host("a-01", "host: {host}\nservices: {}\n")
    assert main(["check"]) == 3


def test_no_repository_is_usage(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="no repository here"):
        main(["check"])


def test_only_files_of_no_host_are_3(fleet, only, capsys):
    only()
    fleet.host("a-01")
    fleet.write("README.md", "")
    assert main(["check", "README.md"]) == 3
    assert "README.md belongs to no host" in capsys.readouterr().err


def test_one_host_of_two(fleet, only, capsys):
    only()
    fleet.host("a-01")
    fleet.host("b-01", "no: [")
    assert main(["check", "a-01"]) == 0
    assert main(["check", "hosts/a-01/host.yaml"]) == 0
    assert main(["check", "b-01"]) == 1
    assert main(["check"]) == 1
    capsys.readouterr()


def test_one_service_of_two(fleet, only, capsys):
    from sgfleet.rules.rule import Problem

    only(service=[lambda view: [Problem((), f"about {view.name}")]])
    fleet.host("a-01", HOST + HOST[HOST.index("  chat:") :].replace("chat", "draft"))
    assert main(["check", "a-01/draft"]) == 1
    assert "about draft" in (out := capsys.readouterr().out)
    assert "about chat" not in out


def test_no_such_service_is_usage_before_anything_is_printed(fleet, only, capsys):
    only()
    fleet.host("a-01")
    fleet.host("b-01", "no: [")
    with pytest.raises(UsageError, match="a-01 has no service 'caht'"):
        main(["check", "b-01", "a-01/caht"])
    assert capsys.readouterr().out == ""


def test_a_rule_that_breaks_is_4_and_the_rest_is_told(fleet, only, capsys):
    from sgfleet.rules.rule import Problem

    only(service=[lambda view: 1 / 0, says(Problem((), "told all the same"))])
    fleet.host("a-01")
    fleet.host("b-01")
    assert main(["check"]) == 4
    streams = capsys.readouterr()
    assert streams.out.count("told all the same") == 2
    assert "rule TST001 failed on a-01/chat and 1 more: ZeroDivisionError" in streams.err
    report = Path(streams.err.split("ready to be sent: ")[1].strip())
    text = report.read_text()
    report.unlink()
    assert "error: ZeroDivisionError in rule TST001" in text
    assert "a-01" not in text


def test_a_bug_before_the_rules_stops_one_host_only(fleet, only, capsys, monkeypatch):
    only()
    for name in ("a-01", "b-01", "c-01"):
        fleet.host(name)
    read = Repository.host
    monkeypatch.setattr(Repository, "host", lambda self, name: read(self, name) if name != "b-01" else 1 / 0)
    assert main(["check", "--format", "json"]) == 4
    streams = capsys.readouterr()
    document = json.loads(streams.out)
    jsonschema.Draft202012Validator(CHECK_SCHEMA).validate(document)
    assert document["failures"] == [{"code": None, "subject": "b-01", "error": "ZeroDivisionError"}]
    assert document["summary"]["hosts"] == 3
    assert "error: the check failed on b-01: ZeroDivisionError" in streams.err
    Path(streams.err.split("ready to be sent: ")[1].strip()).unlink()


def test_json_is_valid_and_alone_on_stdout(fleet, only, capsys):
    from sgfleet.rules.rule import Problem

    only(service=[says(Problem(("release",), "m", related=((("python",), "r"),), help="h"))], host=[lambda view: 1 / 0])
    fleet.host("a-01")
    assert main(["check", "--format", "json"]) == 4
    streams = capsys.readouterr()
    document = json.loads(streams.out)
    jsonschema.Draft202012Validator(CHECK_SCHEMA).validate(document)
    assert document["failures"] == [{"code": "TST001", "subject": "a-01", "error": "ZeroDivisionError"}]
    assert document["summary"]["errors"] == 1
    assert document["findings"][0]["route"] == ["services", "chat", "release"]
    Path(streams.err.split("ready to be sent: ")[1].strip()).unlink()


@pytest.mark.parametrize("form", ["text", "json", "github", "gitlab", "sarif"])
def test_every_format_of_real_findings(fleet, capsys, form):
    fleet.host("a-01", HOST + "      no-such-flag: 1\n")
    fleet.host("b-01", "host: [")
    assert main(["check", "--format", form]) == 1
    out = capsys.readouterr().out
    assert "no-such-flag" in out
    assert "SRC001" in out


def test_a_waiver_accepts_and_machines_still_hear_of_it(fleet, capsys):
    flag = "      load-format: dummy\n"
    waiver = "    waive:\n      - {code: CODE, reason: This host measures loading only.}\n"
    fleet.host("a-01", HOST + flag)
    main(["check", "--format", "json"])
    before = json.loads(capsys.readouterr().out)["findings"]
    (code,) = {each["code"] for each in before if "dummy" in each["message"]}
    fleet.host("a-01", HOST + flag + waiver.replace("CODE", code))
    main(["check", "--format", "json"])
    after = json.loads(capsys.readouterr().out)["findings"]
    assert [each["code"] for each in after] == [each["code"] for each in before]
    assert {each["code"]: each["waived"] for each in after}[code] == "This host measures loading only."
    main(["check"])
    streams = capsys.readouterr()
    assert "dummy" not in streams.out
    assert "1 waived" in streams.err


SECRET = "sk-0123456789abcdef"
WITH_SECRETS = (
    HOST + f"      api-key: {SECRET}\n      no-such-flag: {SECRET}\n",  # in a service that is sound
    HOST + f"      api-key: {SECRET}\n    unknown: {{token: {SECRET}}}\n",  # and in one that is not
    HOST + f"      api-key: [{SECRET}, {{a: {SECRET}}}]\n",
    HOST + f'    environment: {{HF_TOKEN: {SECRET}, BAD-NAME: "{SECRET}"}}\n',
    HOST + f"    environment:\n      HF_TOKEN: |\n        {SECRET}\n        more\n      1X: y\n",
    HOST + f"      api-key: '{SECRET}\n",  # a file that cannot be read
    HOST + f"      api-key: {SECRET}\n      api-key: {SECRET}\n",
    HOST + f"      api-key: *{SECRET}\n",
    HOST + f"      api-key: {SECRET}: x\n",
)


@pytest.mark.parametrize("form", ["text", "json", "github", "gitlab", "sarif"])
@pytest.mark.parametrize("text", WITH_SECRETS)
def test_no_secret_is_shown(fleet, capsys, form, text):
    fleet.host("a-01", text)
    assert main(["check", "--format", form]) == 1
    streams = capsys.readouterr()
    assert SECRET not in streams.out + streams.err


def test_many_hosts_are_checked_by_several_processes_in_order(fleet, monkeypatch, capsys):
    for number in range(30):
        fleet.host(f"a-{number:02}", HOST + ("      no-such-flag: 1\n" if number % 3 else ""))
    alone = main(["check", "--format", "json"])
    expected = capsys.readouterr()
    monkeypatch.setattr(spread, "MANY", 10)
    monkeypatch.setattr(spread, "_CHUNK", 4)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert main(["check", "--format", "json"]) == alone == 1
    assert capsys.readouterr() == expected


def test_a_damaged_schema_is_a_finding(fleet, capsys):
    fleet.host("a-01")
    fleet.write("schema/sglang/0.5.9.json", '{"x-sgfleet": \n')
    assert main(["check", "a-01"]) == 1
    assert "error[SCH001]: the flag schema of SGLang 0.5.9 cannot be used" in capsys.readouterr().out


def test_a_schema_folder_that_is_a_link_is_a_finding(fleet, only, capsys):
    only()
    fleet.host("a-01")
    fleet.write("elsewhere/host.schema.json", "{}")
    (fleet.root / "schema").symlink_to("elsewhere")
    assert main(["check"]) == 1
    assert "error[SRC016]" in capsys.readouterr().out


def test_a_terminal_that_knows_ascii_only(fleet):
    fleet.host("a-01", HOST + "      模型: 1\n")
    done = subprocess.run(
        [Path(sys.executable).with_name("sgfleet"), "check"],
        cwd=fleet.root,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stderr
    assert "\\u6a21" in done.stdout


def test_colour_on_demand_only(fleet, capsys, monkeypatch):
    fleet.host("a-01", "no: [")
    main(["check"])
    assert "\x1b" not in capsys.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    main(["check"])
    assert "\x1b[1;31merror[SRC001]" in capsys.readouterr().out


def test_the_registry_is_loaded_once():
    assert registry.checks() is registry.checks()
