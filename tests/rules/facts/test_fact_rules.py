"""Facts: missing, incomplete, old, and at odds with the spec."""

from __future__ import annotations

import pytest

from rules.said import messages, said
from rules.views import facts, host, service
from sgfleet.findings import Severity

POLICY = {"facts-max-age": "30d"}


def read(when):
    return facts(gpus=0, read={"gpus": {"how": "nvidia-smi"} | ({"when": when} if when else {})})


@pytest.mark.parametrize(
    ("when", "severity"),
    [
        ("2026-04-01T00:00:00Z", None),
        ("2026-03-31T23:59:59Z", "default"),
        ("2024-01-01T00:00:00Z", "default"),
        ("2027-01-01T00:00:00Z", None),
        (None, Severity.NOTE),
    ],
)
def test_age(when, severity):
    problems = said("facts.stale_facts", host({}, read(when), POLICY))
    assert [problem.severity or "default" for problem in problems] == ([severity] if severity else [])


def test_age_counts_only_where_the_policy_says_so():
    assert said("facts.stale_facts", host({}, read("2000-01-01T00:00:00Z"))) == []
    assert said("facts.stale_facts", host({}, None, POLICY)) == []
    assert said("facts.stale_facts", host({}, read("2000-01-01T00:00:00Z"), POLICY, today=None)) == []


def test_what_was_observed_does_not_age():
    known = facts(gpus=0, read={"observed": {"how": "log", "when": "2000-01-01T00:00:00Z"}})
    assert said("facts.stale_facts", host({}, known, POLICY)) == []


def test_missing_facts():
    assert len(said("facts.host_without_facts", host({}))) == 1
    assert said("facts.host_without_facts", host({}, facts())) == []


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({}, "which GPUs it has, how much RAM there is"),
        ({"gpus": [{"index": 0, "name": "NVIDIA L4"}], "memory": {"total-bytes": 1}},
         "how much memory each GPU has, the GPUs' compute capability"),
        ({"gpus": [], "memory": {"available-bytes": 1}}, None),
    ],
)  # fmt: skip
def test_parts_that_are_missing(known, words):
    found = messages("facts.incomplete_facts", host({}, facts(**known)))
    assert bool(found) == (words is not None)
    assert all(words in message for message in found)


@pytest.mark.parametrize(
    ("environments", "message"),
    [
        ([], None),
        ([{"python": "/opt/sglang/bin/python3", "release": "0.5.9"}], None),
        ([{"python": "/opt/sglang/bin/python3"}], None),
        ([{"python": "/opt/sglang/bin/python3", "release": "0.5.8"}],
         "the release is 0.5.9, and /opt/sglang/bin/python3 has SGLang 0.5.8"),
        ([{"python": "/opt/other/bin/python3", "release": "0.5.9"}],
         "/opt/sglang/bin/python3 is none of the environments that were found on example-01"),
    ],
)  # fmt: skip
def test_what_is_installed(environments, message):
    found = messages("facts.installed_release", service(known=facts(gpus=0, environments=environments)))
    assert found == ([message] if message else [])


@pytest.mark.parametrize(
    ("path", "help_"),
    [
        ("/srv/models/Qwen3-8B", None),
        ("/srv/models//Qwen3-8B/", None),
        ("/srv/models/Qwen3-8b", "did you mean /srv/models/Qwen3-8B?"),
        ("/srv/models/zzz", "did you mean"),
        ("/elsewhere/Qwen3-8b", None),
        ("Qwen/Qwen3-8B", None),
    ],
)
def test_checkpoints(path, help_):
    known = facts(gpus=0, checkpoints=[{"path": "/srv/models/Qwen3-8B"}])
    problems = said("facts.checkpoint_not_found", service({"model-path": path}, known=known))
    assert bool(problems) == (help_ is not None)
    assert all(problem.help.startswith(help_) for problem in problems)
    assert said("facts.checkpoint_not_found", service({"model-path": path}, known=facts(gpus=0))) == []
