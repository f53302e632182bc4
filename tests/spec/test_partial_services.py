"""A service whose form is wrong has its flags checked all the same, and comes to no unit."""

from __future__ import annotations

import pytest

from rules.checking import check
from sgfleet.fleet.units import host_units
from sgfleet.fleet.workspace import Workspace

FACTS = """format: 1
host: h
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
"""


def _host(own, defaults=""):
    lines = ["host: h", *(["defaults:", defaults] if defaults else []), "services:", "  s:"]
    return "\n".join([*lines, *(f"    {line}" for line in own.strip("\n").splitlines())]) + "\n"


def _codes(root, own, defaults="", **files):
    files = {"hosts/h/host.yaml": _host(own, defaults), "hosts/h/facts.yaml": FACTS, **files}
    found = check(root, files)
    workspace = Workspace(root)
    spec = workspace.repository.host("h")
    assert spec.services == {}
    assert not host_units(workspace, spec).rendered.units, "nothing half-read is rendered"
    return sorted(each.code for each in found if each.service == "s")


MISTAKES = """
gpus: [0, 9]
flags:
  model_path: /m
  tp: 2
  quantisation: fp8
  mem-fraction-static: 1.5
  tool-call-parser: qwenx25
  enable-metrics: "yes"
"""
THEIRS = ["FLG001", "FLG002", "FLG003", "FLG008", "FLG009", "FLG014", "SRV003"]


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("pyhton: /p/python3", "SPC001"),
        ("python: 3", "SPC003"),
        ("python: relative", "SPC004"),
        ("group: 'No Group'", "SPC004"),
        ("unit: {restart-secs: 3s}", "SPC001"),
        ("start: 5m", "SPC003"),
        ("waive: [{code: FLG001}]", "SPC002"),
        ("environment: [A]", "SPC003"),
        ("environment: {A: 010}", "SPC003"),
        ("no-such-key: null", "SPC001"),
    ],
)
def test_a_wrong_key_hides_no_mistake_in_flags(tmp_path, key, code):
    python = "" if key.startswith("python:") else "python: /p/python3\n"
    own = f'release: "0.5.23"\n{python}{key}{MISTAKES}'
    assert _codes(tmp_path, own) == sorted([code, *THEIRS])


def test_a_missing_flag_is_not_told_of_where_keys_are_wrong(tmp_path):
    own = 'release: "0.5.23"\npyhton: /p\npython: /p\nflags: {port: 30000}'
    assert _codes(tmp_path, own) == ["SPC001"]


def test_what_is_waived_stays_so(tmp_path):
    own = 'release: "0.5.23"\npython: /p\npyhton: /p\nflags: {enable-metrics: true, no-such: 1}\n'
    own += "waive: [{code: FLG001, reason: known to the people here}]"
    assert _codes(tmp_path, own) == ["SPC001"]


def test_flags_under_wrong_defaults_are_checked(tmp_path):
    own = 'release: "0.5.23"\npython: /p\nflags: {no-such: 1}'
    assert _codes(tmp_path, own, "  usr: sglang") == ["FLG001"]


def test_a_release_that_nobody_has_is_told(tmp_path):
    assert _codes(tmp_path, 'release: "0.9.99"\npyhton: /p\npython: /p\nflags: {no-such: 1}') == ["SPC001", "SRV001"]


@pytest.mark.parametrize(
    ("own", "codes"),
    [
        ('relase: "0.5.23"\npython: /p\nflags: {no-such: 1}', ["SPC001", "SPC008"]),
        ("release: 0.5\npython: /p\nflags: {no-such: 1}", ["SPC005", "SPC008"]),
        ("release: newest\npython: /p\nflags: {no-such: 1}", ["SPC004", "SPC008"]),
        ("python: /p\nflags: {no-such: 1}", ["SPC002", "SPC008"]),
        ('release: "0.5.23"\npython: /p\nflag: {no-such: 1}', ["SPC001", "SPC008"]),
        # There are no flags, or the finding is about them.
        ('relase: "0.5.23"\npython: /p', ["SPC001"]),
        ('release: "0.5.23"\npython: /p\nflag: {}', ["SPC001"]),
        ("python: /p", ["SPC002"]),
        ('release: "0.5.23"\npython: /p\nflags: [a]', ["SPC003"]),
    ],
)
def test_flags_that_cannot_be_judged_are_named(tmp_path, own, codes):
    assert _codes(tmp_path, own) == codes


@pytest.mark.parametrize(
    ("own", "why"),
    [
        ('relase: "0.5.23"\nflags: {no-such: 1}', "relase may be meant for release"),
        ('release: "0.5.23"\nflag: {no-such: 1}', "flag may be meant for flags"),
        ("release: 0.5\nflags: {no-such: 1}", "its release cannot be read"),
        ("flags: {no-such: 1}", "no release is given"),
    ],
)
def test_why_flags_are_not_checked(tmp_path, own, why):
    found = check(tmp_path, {"hosts/h/host.yaml": _host(f"python: /p\n{own}"), "hosts/h/facts.yaml": FACTS})
    assert [each.message for each in found if each.code == "SPC008"] == [f"not checked: the flags of s: {why}"]


def test_the_flags_of_a_misspelt_release_are_not_held_against_the_inherited_one(tmp_path):
    codes = _codes(tmp_path, 'relase: "0.5.9"\nflags: {no-such: 1}', '  release: "0.5.23"\n  python: /p')
    assert codes == ["SPC001", "SPC008"]


def test_a_secret_in_clear_is_masked_there_too(tmp_path):
    own = 'release: "0.5.23"\npython: /p\npyhton: /p\nflags: {api-key: hunter2-hunter2}'
    found = check(tmp_path, {"hosts/h/host.yaml": _host(own)})
    assert "FLG015" in {each.code for each in found}
    assert "hunter2" not in repr(found)
