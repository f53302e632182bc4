"""Where an error of pydantic's points, through optional values, unions, keys and items."""

from __future__ import annotations

from typing import get_args

import pytest

from sgfleet.spec.models.expectation import Hint, expectation, kinds, target
from sgfleet.spec.models.facts import Facts
from sgfleet.spec.models.fleet import Fleet
from sgfleet.spec.models.host import Host
from sgfleet.spec.models.service import Service

MODELS = (Service, Host, Facts, Fleet)


def every_hint(hint, seen=()):
    yield hint
    if hint.type in seen:
        return
    fields = hint.fields().values()
    for inner in [Hint.of(field.annotation, field.metadata) for field in fields]:
        yield from every_hint(inner, (*seen, hint.type))
    for branch in hint.branches:
        yield from every_hint(branch, seen)
    if hint.origin in (dict, tuple):
        for each in get_args(hint.type):
            if each is not Ellipsis:
                yield from every_hint(Hint.of(each), seen)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_everything_has_words(model):
    for hint in every_hint(Hint(model)):
        assert expectation(hint).what
        assert kinds(hint)


@pytest.mark.parametrize(
    ("model", "location", "data", "route", "what"),
    [
        (Service, ("unit", "restart-sec"), {"unit": {"restart-sec": 3}}, ("unit", "restart-sec"), "a duration"),
        (Service, ("unit", "nice"), {"unit": {"nice": 99}}, ("unit", "nice"), "a whole number from -20 to 19"),
        (
            Service,
            ("gpus", "tuple[constrained-int, ...]", 1),
            {"gpus": [0, -1]},
            ("gpus", 1),
            "a GPU index from 0 to 1023",
        ),
        (Service, ("gpus", "literal['all']"), {"gpus": "x"}, ("gpus",), "all or a list of GPU indices"),
        (
            Service,
            ("environment", "A", "str"),
            {"environment": {"A": 1.5}},
            ("environment", "A"),
            "text or a whole number",
        ),
        (
            Service,
            ("environment", "a b", "[key]"),
            {"environment": {"a b": 1}},
            ("environment", "a b"),
            "the name of a variable",
        ),
        (Service, ("waive", 0, "until"), {"waive": [{"until": 3}]}, ("waive", 0, "until"), "a date"),
        (
            Facts,
            ("observed", "a", "kv-pool-gib"),
            {"observed": {"a": {"kv-pool-gib": -1}}},
            ("observed", "a", "kv-pool-gib"),
            "a number of at least 0",
        ),
    ],
)
def test_target(model, location, data, route, what):
    found = target(model, location, data)
    assert found.route == route
    assert expectation(found.hint).what == what


def test_a_key_that_no_field_has():
    found = target(Service, ("unit", "RestartSec"), {"unit": {"RestartSec": 1}})
    assert found.hint is None
    assert found.key
    assert "restart-sec" in found.owner.fields()
