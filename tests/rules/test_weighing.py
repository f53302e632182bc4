"""Severities of the fleet and waivers of a service: what they change, and what is said of those that change nothing."""

from __future__ import annotations

import datetime

import pytest

from sgfleet.findings import Finding, Place, Severity
from sgfleet.rules import weighing
from sgfleet.rules.rule import Rule
from sgfleet.rules.weighing import Waived, misfits, waive, weigh
from sgfleet.spec.models.service import Waiver

TODAY = datetime.date(2026, 3, 1)
CALLED = {
    "AAA001": Rule("AAA001", "one", Severity.ERROR, "service"),
    "AAA002": Rule("AAA002", "two", Severity.NOTE, "service"),
    "AAA003": Rule("AAA003", "three", Severity.ERROR, "service", waivable=False),
}


@pytest.fixture(autouse=True)
def rules(monkeypatch):
    monkeypatch.setattr(weighing, "called", lambda: CALLED)


def locate(route, part):
    return Place("hosts/h/host.yaml", 1), ("services", "s", *route)


def finding(code="AAA001", severity=Severity.ERROR, service="s"):
    return Finding(code, severity, "m", Place("hosts/h/host.yaml", 2), host="h", service=service)


def waiver(code="AAA001", until=None):
    return Waiver.model_validate({"code": code, "reason": "because it is so", **({"until": until} if until else {})})


def applied(findings, *waivers, unchecked=()):
    return waive(findings, Waived("h", "s", waivers, locate, unchecked), TODAY)


@pytest.mark.parametrize(
    ("wanted", "becomes"),
    [("warning", Severity.WARNING), ("note", Severity.NOTE), ("off", None), (None, Severity.ERROR)],
)
def test_policy_weighs(wanted, becomes):
    after = weigh([finding()], {"AAA001": wanted} if wanted else {})
    assert [each.severity for each in after] == ([becomes] if becomes else [])


@pytest.mark.parametrize("code", ["AAA003", "SRC001"])
def test_what_cannot_be_waived_stays_an_error(code):
    assert weigh([finding(code)], {code: "off"}) == [finding(code)]


def test_a_warning_of_the_reader_may_be_turned_off():
    assert weigh([finding("SRC001", Severity.WARNING)], {"SRC001": "off"}) == []


def test_waiver_marks_its_service_only():
    mine, others, another = applied([finding(), finding(service="other"), finding("AAA002")], waiver())
    assert mine.waived == "because it is so"
    assert others.waived is None
    assert another.waived is None


def test_last_day_counts():
    assert [each.waived for each in applied([finding()], waiver(until="2026-03-01"))] == ["because it is so"]


def test_expired_waiver_accepts_nothing_and_is_told():
    back, told = applied([finding()], waiver(until="2026-02-28"))
    assert back.waived is None
    assert (told.code, told.severity, told.route) == (
        "WVR002",
        Severity.WARNING,
        ("services", "s", "waive", 0, "until"),
    )
    assert "2026-02-28" in told.message
    assert "2026-03-01" in told.based_on[0]


@pytest.mark.parametrize("until", [None, "2026-02-28"])
def test_unused_waiver(until):
    (told,) = applied([], waiver(until=until))
    assert (told.code, told.severity, told.host, told.service) == ("WVR001", Severity.WARNING, "h", "s")


def test_unused_is_a_note_where_not_everything_could_be_checked():
    (told,) = applied([], waiver(), unchecked=("its facts",))
    assert (told.code, told.severity) == ("WVR001", Severity.NOTE)
    assert "its facts" in told.message


def test_second_waiver_of_a_code_is_unused():
    *_, told = applied([finding()], waiver(), waiver())
    assert (told.code, told.route[-2]) == ("WVR001", 1)
    assert told.message == "AAA001 is waived already by the entry above"
    assert told.help == "remove this second waiver of AAA001"


def test_of_two_waivers_without_a_finding_none_has_accepted_anything():
    messages = [each.message for each in applied([], waiver(), waiver())]
    assert messages == ["the waiver of AAA001 matches no finding of this service"] * 2


@pytest.mark.parametrize(
    ("code", "there", "help_"),
    [
        ("SPC001", [], "remove the waiver: the cause of SPC001 is to be put right, where there is one"),
        (
            "SPC001",
            [Severity.ERROR],
            "put the cause of SPC001 right, and remove the waiver; what is behind it was not checked",
        ),
        ("SPC007", [Severity.WARNING], "put the cause of SPC007 right, and remove the waiver"),
        ("WVR003", [Severity.ERROR], "put the cause of WVR003 right, and remove the waiver"),
    ],
)
def test_what_to_do_instead_of_a_waiver_that_cannot_be(code, there, help_):
    *_, told = applied([finding(code, severity) for severity in there], waiver(code))
    assert (told.code, told.help) == ("WVR003", help_)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("SPC001", "SPC001 (unknown-key) stays an error: what is behind such a finding is not checked"),
        ("WVR003", "WVR003 (unwaivable) stays an error"),
    ],
)
def test_why_a_severity_is_fixed(code, message):
    assert [each.message for each in misfits({code: "note"}, locate)] == [message]


def test_expired_and_renewed():
    mine, told = applied([finding()], waiver(until="2026-02-28"), waiver(until="2026-12-31"))
    assert mine.waived
    assert told.code == "WVR002"


@pytest.mark.parametrize(("code", "says"), [("ZZZ999", "there is no rule ZZZ999"), ("WVR001", "cannot be waived")])
def test_what_can_never_match(code, says):
    (told,) = applied([], waiver(code))
    assert (told.code, told.severity) == ("WVR003", Severity.ERROR)
    assert says in told.message


def test_mistyped_code_names_the_near_one():
    (told,) = misfits({"WVR009": "off"}, locate)
    assert told.code == "WVR004"
    assert told.help is not None


@pytest.mark.parametrize(
    ("severities", "codes"),
    [
        ({}, []),
        ({"AAA001": "note"}, []),
        ({"AAA001": "off"}, ["WVR004"]),  # no rule of the manual in this test
        ({"WVR001": "off"}, ["WVR005"]),  # a warning: no harm in that, once it is said
        ({"WVR001": "note"}, []),
        ({"WVR003": "error"}, []),  # changes nothing, and says so itself
        ({"WVR003": "note"}, ["WVR004"]),
        ({"ZZZ999": "note"}, ["WVR004"]),
    ],
)
def test_misfits_of_the_policy(severities, codes):
    assert [each.code for each in misfits(severities, locate)] == codes
