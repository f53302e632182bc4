"""What used to pass without a word."""

from __future__ import annotations

import pytest

from rules.said import messages, said
from rules.views import fleet, service
from sgfleet.spec.quantities import duration_seconds, some_seconds


@pytest.mark.parametrize("python", ["/usr/bin/env python3", "/opt/python3 -m sglang", "/opt/x/python3 -u"])
def test_an_interpreter_with_arguments(python):
    (problem,) = said("service.interpreter_with_arguments", service(python=python))
    assert problem.severity is None
    assert "nothing splits it" in problem.message


@pytest.mark.parametrize("python", ["/opt/venv", "/usr/bin/env", "/opt/sglang/bin/activate"])
def test_something_else_than_an_interpreter(python):
    (problem,) = said("service.interpreter_with_arguments", service(python=python))
    assert problem.severity == "warning"


@pytest.mark.parametrize("python", ["/opt/a b/bin/python3", "/opt/pypy", "/opt/x/bin/python3.11", "/x/sglang-python"])
def test_interpreters(python):
    assert said("service.interpreter_with_arguments", service(python=python)) == []


@pytest.mark.parametrize(
    ("flags", "names"),
    [
        ({"served-model-name": ""}, ["served-model-name"]),
        ({"served-model-name": " \t"}, ["served-model-name"]),
        ({"api-key": ""}, ["api-key"]),
        ({"lora-target-modules": ["all", ""]}, []),  # choices: another rule says it
        ({"chat-template": ""}, ["chat-template"]),
        ({"json-model-override-args": ""}, []),  # JSON: another rule says it
        ({"served-model-name": "x"}, []),
    ],
)
def test_empty_text(flags, names):
    assert [problem.route[1] for problem in said("flags.empty_text", service(flags))] == names


def test_an_empty_list_of_what_is_allowed():
    policy = {"allowed-users": [], "allowed-python": [], "allowed-models": [], "required-flags": []}
    assert len(messages("policy.empty_allowance", fleet(policy))) == 3
    assert messages("policy.empty_allowance", fleet({})) == []
    assert messages("policy.empty_allowance", fleet({"allowed-users": ["a"]})) == []


def test_no_time_at_all():
    assert duration_seconds("0s") == 0
    with pytest.raises(ValueError, match="leave it out"):
        some_seconds("0h0s")
    assert some_seconds("1s") == 1
