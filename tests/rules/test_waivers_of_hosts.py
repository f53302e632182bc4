"""Waivers beside `services:`: they accept what is found about the host as a whole, and nothing of a service."""

from __future__ import annotations

import pytest

from rules.checking import check
from rules.examples import complete
from sgfleet.findings import Severity
from sgfleet.rules.registry import checks, entries

OF_HOSTS = [
    pytest.param(entry, example, id=f"{entry.rule.code}-{number}")
    for entry in entries().values()
    if entry.rule.stage == "host" and entry.rule in {each.rule for each in checks()["host"]}
    for number, example in enumerate(entry.page.bad)
]
HOST = 'host: h\nservices:\n  a:\n    release: "0.5.9"\n    python: /opt/python3\n    flags: {model-path: /m}\n'


def waiving(code, until=None):
    return f"waive:\n  - {{code: {code}, reason: somebody has looked at it{f', until: {until}' if until else ''}}}\n"


@pytest.mark.parametrize(("entry", "example"), OF_HOSTS)
def test_each_finding_of_a_host(tmp_path, entry, example):
    made = complete(example, entry.rule.stage)
    code = entry.rule.code
    for path in [path for path in made.files if path.endswith("/host.yaml")]:
        made.files[path] = made.files[path].rstrip("\n") + "\n" + waiving(code)
    found = [each for each in check(tmp_path, made.files) if each.code == code]
    assert found
    assert {each.waived for each in found if each.service is None} <= {"somebody has looked at it"}
    assert {each.waived for each in found if each.service is not None} <= {None}


@pytest.mark.parametrize(
    ("code", "says", "word"),
    [
        ("FCT003", "WVR001", "the waiver of FCT003 matches nothing that could be checked without facts of the host"),
        ("FLG001", "WVR001", "FLG001 is a finding of a service of h and not of the host as a whole"),
        ("FLG999", "WVR003", "there is no rule FLG999"),
        ("SPC001", "WVR003", "SPC001 (unknown-key) cannot be waived"),
    ],
)
def test_waivers_that_accept_nothing(tmp_path, code, says, word):
    text = HOST.replace("{model-path: /m}", "{model-path: /m, no-such-flag: 1}") + waiving(code)
    found = check(tmp_path, {"hosts/h/host.yaml": text})
    (waiver,) = [each for each in found if each.code.startswith("WVR")]
    assert (waiver.code, waiver.message) == (says, word)
    assert (waiver.host, waiver.service) == ("h", None)
    assert waiver.place.line == text.count("\n")


def test_one_that_matches_nothing_and_one_that_has_run_out(tmp_path):
    facts = "format: 1\nhost: h\ngpus: [{index: 0, name: X, memory-mib: 48}]\n"
    files = {"hosts/h/host.yaml": HOST + waiving("FCT010"), "hosts/h/facts.yaml": facts}
    (waiver,) = [each for each in check(tmp_path, files) if each.code.startswith("WVR")]
    assert waiver.message == "the waiver of FCT010 matches no finding of the host as a whole"
    assert waiver.severity is Severity.WARNING
    files["hosts/h/host.yaml"] = HOST + waiving("FCT009", "2020-01-01")
    found = {each.code: each for each in check(tmp_path, files)}
    assert found["WVR002"].message == "the waiver of FCT009 has expired: its last day was 2020-01-01"
    assert found["FCT009"].waived is None


def test_both_kinds_beside_each_other(tmp_path):
    text = HOST.replace("{model-path: /m}", "{model-path: /m, no-such-flag: 1}")
    text += "    waive: [{code: FLG001, reason: a fork of ours knows it}]\n" + waiving("FCT001")
    found = check(tmp_path, {"hosts/h/host.yaml": text})
    assert {each.code: each.waived for each in found if each.code in {"FLG001", "FCT001"}} == {
        "FLG001": "a fork of ours knows it",
        "FCT001": "somebody has looked at it",
    }
    assert not [each for each in found if each.code.startswith("WVR")]
