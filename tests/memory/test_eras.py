"""The table of what changed when, as far as it can be held against itself; tests/oracle holds it against the wheels."""

from __future__ import annotations

import re

import pytest

from sgfleet.engine import store, version
from sgfleet.memory.architectures import first_release, listed
from sgfleet.memory.era import Era, Rule, from_release
from sgfleet.memory.eras import HOST_CHECK, RULES


@pytest.mark.parametrize("name", RULES)
def test_eras_are_in_order_and_named(name):
    rule = RULES[name]
    starts = [version.key(era.since) for era in rule.eras]
    assert starts == sorted(set(starts))
    assert all(era.since in store.available() for era in rule.eras)
    assert all(era.source.endswith(".py") for era in rule.eras)
    assert all(one.value != other.value for one, other in zip(rule.eras, rule.eras[1:], strict=False))
    for era in rule.eras:
        if era.sign is not None:
            re.compile(era.sign)
    assert rule.what


def test_a_rule_holds_from_its_release_to_the_next():
    assert [HOST_CHECK.at(release) for release in ("0.4.0", "0.5.18", "0.5.19", "0.5.20", "0.5.21", "0.6.0")] == [
        "each",
        "each",
        "share",
        "share",
        "share-of-cgroup",
        "share-of-cgroup",
    ]


def test_post_releases_come_after_their_final_one():
    rule = Rule("", Era("0.5.0", value=1, source=""), Era("0.5.5.post1", value=2, source=""))
    assert [rule.at(release) for release in ("0.5.5", "0.5.5.post1", "0.5.5.post3", "0.5.6")] == [1, 2, 2, 2]
    assert from_release("0.5.10", "0.5.9")
    assert not from_release("0.5.9", "0.5.9.post1")


def test_architectures_are_known_by_release():
    assert first_release("KimiK25ForConditionalGeneration") == "0.5.9"
    assert first_release("NobodyForCausalLM") is None
    assert listed("hybrid_sliding", "0.5.23", "GptOssForCausalLM")
    assert not listed("hybrid_sliding", "0.4.0", "GptOssForCausalLM")
