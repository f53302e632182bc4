"""`sgfleet memory` and `check` never differ: walked over the bad and good examples of all rules.

Every rule that makes an error of a service or a host has its place here: a verdict about memory rests on it, or it does
not, and then it stands in a list of those that do not matter.
"""

from __future__ import annotations

import json

import pytest

from rules.checking import check
from rules.examples import complete
from sgfleet.cli.main import main
from sgfleet.findings import Finding, Place, Severity
from sgfleet.rules import bearing
from sgfleet.rules.bearing import bearing_on, bearing_on_host, bears, before_memory
from sgfleet.rules.registry import entries

ENTRIES = [entry for entry in entries().values() if entry.rule.stage in ("service", "machine", "host")]
NO_MATTER = {
    "FLG015": "where a secret stands",
    "FCT004": "which interpreter has which release",
    "HST001": "ports",
    "HST003": "order of starts",
}
"""Errors on which no verdict about memory rests, beside those of the other families, which are about the unit."""
FAMILIES = ("MEM", "FLG", "CMB", "FCT", "HST")
PLACES = {"SRV001", "SRV002", "SRV003", "SRV004"}


def finding(code, severity, **more):
    return Finding(code, severity, "said", Place("hosts/h/host.yaml"), "h", **more)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.rule.code)
def test_every_error_is_told_from_those_that_do_not_matter(entry):
    code = entry.rule.code
    if entry.rule.severity is not Severity.ERROR:
        return
    counts = bears(finding(code, Severity.ERROR))
    assert counts == (code in PLACES or (code.startswith(FAMILIES) and code not in NO_MATTER)), code


ABOUT_MEMORY = [entry.rule for entry in ENTRIES if entry.rule.code.startswith("MEM")]


@pytest.mark.parametrize("rule", ABOUT_MEMORY, ids=lambda rule: rule.code)
def test_every_rule_about_memory_is_of_amounts_or_of_what_no_amount_puts_right(rule):
    """Also those that only warn: policy may make an error of them."""
    code = rule.code
    if not bears(finding(code, Severity.ERROR)):
        assert rule.severity is Severity.NOTE
        return
    assert (code in bearing._AMOUNTS) != (code in bearing._NATURES), code
    first = before_memory([finding(code, Severity.ERROR, service="one")], "one")
    assert bool(first) == (code in bearing._NATURES)
    for told in (
        finding(code, Severity.WARNING, service="one"),
        finding(code, Severity.ERROR, service="one", waived="so"),
    ):
        assert before_memory([told], "one") == []


def test_no_rule_is_classified_that_is_not_there():
    assert {rule.code for rule in ABOUT_MEMORY} >= bearing._AMOUNTS | bearing._NATURES


def test_what_comes_first_is_said_first():
    found = [finding(code, Severity.ERROR, service="one") for code in ("MEM002", "MEM029", "FLG002")]
    assert [each.code for each in bearing_on(found, "one")] == ["FLG002", "MEM029", "MEM002"]


def _examples():
    for entry in ENTRIES:
        for kind in ("bad", "good"):
            for number, example in enumerate(getattr(entry.page, kind)):
                if example.files:
                    yield pytest.param(entry, example, id=f"{entry.rule.code}-{kind}-{number}")


@pytest.mark.parametrize(("entry", "example"), list(_examples()))
def test_memory_says_what_check_says(entry, example, tmp_path, capsys):
    found = check(tmp_path, complete(example, entry.rule.stage).files)
    counted = [each for each in found if bears(each) and each.waived is None]
    grave = {each.code for each in counted if each.severity is not Severity.NOTE}
    code = main(["memory", "--root", str(tmp_path), "--format", "json"])
    said = json.loads(capsys.readouterr().out or '{"hosts": []}')
    statements = [
        (each["code"], each["weight"])
        for host in said["hosts"]
        for part in (host, *host["services"])
        for each in part.get("statements", ())
    ]
    with_facts = not any(each.code == "FCT001" for each in found)
    resolved = any("figures" in service for host in said["hosts"] for service in host["services"])
    if with_facts and resolved:
        assert {one for one, weight in statements if weight != "note"} == grave
    if any(each.severity is Severity.ERROR for each in counted) and statements:
        assert code == 1
    if code == 0:
        assert not grave


def test_what_a_service_has_with_another_one_is_said_of_both():
    both = [finding("MEM005", Severity.ERROR, service="two", related=((Place("x"), "one"),))]
    both += [finding("HST002", Severity.ERROR, service="two", related=((Place("x"), "one, GPUs 0, 1"),))]
    for name in ("one", "two"):
        assert [each.code for each in bearing_on(both, name)] == ["HST002", "MEM005"]
    assert bearing_on(both, "three") == []
    assert [each.code for each in before_memory(both, "one")] == ["HST002"]


def test_what_belongs_to_the_host_is_said_once():
    ram = [finding("MEM010", Severity.ERROR, service="one")]
    assert bearing_on(ram, "one") == []
    assert bearing_on_host(ram) == ram


@pytest.mark.parametrize(("code", "severity"), [("FLG006", Severity.WARNING), ("SRV009", Severity.ERROR)])
def test_what_is_no_matter(code, severity):
    assert not bears(finding(code, severity))


REFUSED = [
    pytest.param(entry, entry.page.bad[0], id=entry.rule.code)
    for entry in ENTRIES
    if entry.rule.severity is Severity.ERROR and bears(finding(entry.rule.code, Severity.ERROR))
    if not entry.rule.code.startswith("MEM") and entry.page.bad[0].files
]


@pytest.mark.parametrize("wanted", ["note", "warning"])
@pytest.mark.parametrize(("entry", "example"), REFUSED)
def test_what_the_policy_eases_is_told(entry, example, wanted, tmp_path, capsys):
    """As `check` says it: that nobody has found it must not be thought."""
    files = complete(example, entry.rule.stage).files
    files["fleet.yaml"] = f"policy: {{severity: {{{entry.rule.code}: {wanted}}}}}\n"
    found = [each for each in check(tmp_path, files) if each.code == entry.rule.code]
    assert {each.severity for each in found} == {Severity(wanted)}
    main(["memory", "--root", str(tmp_path), "--format", "json"])
    said = json.loads(capsys.readouterr().out or '{"hosts": []}')
    parts = [part for host in said["hosts"] for part in (host, *host["services"])]
    told = [each for part in parts for each in part.get("statements", ()) if each["code"] == entry.rule.code]
    assert {each["weight"] for each in told} == {wanted}
    assert {each.message for each in found} <= {each["text"] for each in told}
