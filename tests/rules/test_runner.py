"""Rules are called, what they say gets a place, and one that breaks hides nothing."""

from __future__ import annotations

import pytest

from sgfleet.findings import Place, Severity
from sgfleet.rules import runner
from sgfleet.rules.registry import Check
from sgfleet.rules.rule import FleetView, HostView, MachineView, Problem, Rule
from sgfleet.rules.runner import run
from sgfleet.spec.models.fleet import Policy
from sgfleet.spec.models.service import Service

SERVICE = Service.model_validate(
    {
        "release": "0.5.9",
        "python": "/p",
        "flags": {"api-key": "sk-123456", "many": ["a", "sk-9"]},
        "environment": {"A": 1},
    }
)
VIEW = MachineView("s", SERVICE, Policy(), host="h")


def locate(route, part):
    text = f"{route[-1]}: value" if route else "s:"
    return Place("hosts/h/host.yaml", len(route), 1 if part == "key" else 5, len(route), 9, text), ("at", *route)


@pytest.fixture
def rules(monkeypatch):
    """Put rules in place: `rules(service=[...], host=[...])`, each a function."""

    def put(**stages):
        def check(stage, number, function):
            return Check(Rule(f"AAA{number:03}", f"rule-{number}", Severity.ERROR, stage), function)

        called = {
            stage: tuple(check(stage, number, each) for number, each in enumerate(stages.get(stage, ()), start=1))
            for stage in ("service", "machine", "host", "fleet")
        }
        monkeypatch.setattr(runner, "checks", lambda: called)

    return put


def test_a_problem_becomes_a_finding(rules):
    problem = Problem(
        ("flags", "tp"),
        "no flag tp",
        part="key",
        arithmetic=("1 + 1 = 2",),
        help="write tp-size",
        based_on=("the schema",),
        related=((("release",), "the release"),),
        severity=Severity.NOTE,
    )
    rules(service=[lambda view: [problem]])
    (finding,) = run(VIEW, locate).findings
    assert (finding.code, finding.severity, finding.message) == ("AAA001", Severity.NOTE, "no flag tp")
    assert (finding.host, finding.service) == ("h", "s")
    assert finding.place == locate(("flags", "tp"), "key")[0]
    assert finding.route == ("at", "flags", "tp")
    assert finding.related == ((locate(("release",), "value")[0], "the release"),)
    assert (finding.arithmetic, finding.help, finding.based_on) == (("1 + 1 = 2",), "write tp-size", ("the schema",))


def test_severity_is_the_rules_own_unless_the_problem_has_one(rules):
    rules(service=[lambda view: [Problem((), "m")]])
    assert run(VIEW, locate).findings[0].severity is Severity.ERROR


def test_each_view_meets_the_rules_of_its_stage(rules):
    def says(word):
        return lambda view: [Problem((), word)]

    rules(service=[says("service")], host=[says("host")], fleet=[says("fleet")])
    views = (VIEW, HostView("h", {}, Policy()), FleetView(Policy(), {}))
    assert [run(view, locate).findings[0].message for view in views] == ["service", "host", "fleet"]
    assert [run(view, locate).findings[0].host for view in views] == ["h", "h", None]


def test_a_host_rule_names_its_service_by_the_route(rules):
    rules(host=[lambda view: [Problem(("services", "chat", "gpus"), "m"), Problem(("services",), "m")]])
    assert [each.service for each in run(HostView("h", {}, Policy()), locate).findings] == ["chat", None]


def test_a_rule_that_breaks_hides_nothing(rules):
    def breaks_late(view):
        yield Problem((), "before")
        raise KeyError("secret data")

    rules(service=[lambda view: 1 / 0, breaks_late, lambda view: [Problem((), "after")]])
    outcome = run(VIEW, locate)
    assert [each.message for each in outcome.findings] == ["before", "after"]
    first, second = outcome.crashes
    assert (first.code, first.subject, first.error) == ("AAA001", "h/s", "ZeroDivisionError")
    assert second.error == "KeyError"
    assert any("breaks_late" in frame for frame in second.frames)
    assert not any("secret data" in frame for frame in second.frames)


def test_where_secrets_are(rules):
    def check(view):
        yield Problem(("flags", "api-key"), "m", part="key", secret=True)
        yield Problem(("flags", "many", 1), "m", secret=True)
        yield Problem(("environment", "A"), "m", secret=True)
        yield Problem(("flags", "gone", 7), "m", secret=True)

    rules(service=[check])
    secrets = run(VIEW, locate).secrets
    assert [each.text for each in secrets] == ["sk-123456", "sk-9", None, None]
    assert secrets[0] == ("hosts/h/host.yaml", ("at", "flags", "api-key"), "sk-123456")
