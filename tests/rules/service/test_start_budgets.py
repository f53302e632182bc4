"""A start budget against what is known of the load, with what the agent does with it."""

from __future__ import annotations

import re

import pytest

from rules.memory.hosts import gpus, one
from rules.said import said
from rules.views import facts
from sgfleet.agent.budget import PATIENCE, Sample, progress, start_budget
from sgfleet.findings import Severity
from sgfleet.rules.service.start_budget_too_short import GROWTH, RULE
from sgfleet.spec.quantities import duration_seconds

MODEL = "Qwen/Qwen3-32B-FP8"


def _said(budget, observed=None, model=MODEL):
    known = facts(gpus=gpus(2), observed={"example": {"release": "0.5.9", **observed}} if observed else {})
    view = one({"model-path": model, "tp-size": 2}, known, start={} if budget is None else {"budget": budget})
    return said("service.start_budget_too_short", view)


@pytest.mark.parametrize(
    ("budget", "observed", "severity"),
    [
        ("1m", {"load-seconds-at-least": 600}, RULE.severity),
        ("10m", {"load-seconds-at-least": 600}, RULE.severity),
        ("601s", {"load-seconds-at-least": 600}, None),
        ("100s", {"load-seconds": 100}, RULE.severity),
        ("101s", {"load-seconds": 100}, None),
        (None, {"load-seconds": 100}, None),
        ("1m", None, Severity.WARNING),
        ("10m", None, None),
        # Neither its weights nor a start are known.
        ("1s", {}, None),
    ],
)
def test_budgets(budget, observed, severity):
    model = MODEL if observed != {} else "/models/nobody-knows"
    found = _said(budget, observed, model)
    assert [each.severity or RULE.severity for each in found] == ([severity] if severity else [])


@pytest.mark.parametrize("observed", [{"load-seconds": 50}, {"load-seconds-at-least": 600}, None])
def test_the_named_budget_is_accepted_and_the_agent_keeps_it(observed):
    (problem,) = _said("10s", observed)
    named = re.search(r"`budget: (\w+)`", problem.help).group(1)
    assert _said(named, observed) == []
    loads = float(next(iter(observed.values()))) if observed else 0.0
    budget = start_budget(None, loads, duration_seconds(named))
    assert progress([Sample(loads, read_bytes=1)], 0.0, budget).goes_on


def test_the_agent_gives_up_what_is_reported():
    budget = start_budget(None, 600, 60)
    assert progress([Sample(60.0)], 0.0, budget).state == "over"
    assert PATIENCE.growth == GROWTH
