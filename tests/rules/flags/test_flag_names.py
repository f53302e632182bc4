"""Names that are no flag of the release: each is reported by one rule, once, with what to write."""

from __future__ import annotations

import pytest

from rules.said import said
from rules.views import service

RULES = {
    "FLG001": "flags.unknown_flag",
    "FLG002": "flags.abbreviated_flag",
    "FLG003": "flags.underscored_flag",
    "FLG004": "flags.dashed_flag",
    "FLG005": "flags.flag_of_another_release",
}


def told(view):
    return [(code, problem) for code, rule in RULES.items() for problem in said(rule, view)]


@pytest.mark.parametrize(
    ("release", "name", "code", "help_"),
    [
        ("0.5.9", "tensor-paralel-size", "FLG001", "did you mean tensor-parallel-size?"),
        ("0.5.9", "TP-SIZE", "FLG001", "did you mean tp-size?"),
        (
            "0.5.9",
            "zzzzzz",
            "FLG001",
            "remove it: no flag of this release comes near",
        ),
        (
            "0.5.9",
            "OMP_NUM_THREADS",
            "FLG001",
            "an environment variable stands under `environment:` of the service: put OMP_NUM_THREADS there",
        ),
        (
            "0.5.9",
            "CUDA_VISIBLE_DEVICES",
            "FLG001",
            "remove it, and list the GPUs in `gpus:` of the service: the renderer sets it from there",
        ),
        ("0.5.9", "tp", "FLG002", "write tp-size"),
        ("0.5.9", "mem-frac", "FLG002", "write mem-fraction-static"),
        ("0.5.9", "--tp", "FLG002", "write tp-size"),
        ("0.5.9", "mem_frac", "FLG002", "write mem-fraction-static"),
        ("0.5.9", "tensor-p", "FLG002", "write tensor-parallel-size"),
        ("0.5.9", "tp_size", "FLG003", "write tp-size"),
        ("0.5.9", "--tp_size", "FLG003", "write tp-size"),
        ("0.5.9", "reasoning_parser", "FLG003", "write reasoning-parser"),
        ("0.5.9", "--tp-size", "FLG004", "write tp-size"),
        ("0.5.9", "-tp-size", "FLG004", "write tp-size"),
        ("0.5.10", "disable-hicache-numa-detect", "FLG005", "disable-hicache-numa-detect was removed after 0.5.9"),
        ("0.5.1", "hicache-host-memory-mode", "FLG005", "hicache-host-memory-mode exists from 0.5.19"),
        ("0.5.9", "attn_dp_size", "FLG005", "attn-dp-size exists from 0.5.22"),
        ("0.5.20", "cuda-graph-max-bs", "FLG002", "write one of cuda-graph-max-bs-decode, cuda-graph-max-bs-prefill"),
    ],
)
def test_one_rule_says_what_to_write(release, name, code, help_):
    view = service({name: 1}, release=release)
    ((found, problem),) = told(view)
    assert (found, problem.help, problem.route, problem.part) == (code, help_, ("flags", name), "key")


def test_ambiguous_abbreviation_lists_what_it_may_mean():
    ((code, problem),) = told(service({"hicache": 1}))
    assert code == "FLG002"
    assert "the beginning of 8" in problem.message
    assert problem.help.startswith("write one of hicache-ratio, hicache-size, ")
    assert problem.help.endswith("and 2 more")


def test_names_under_secrets_are_looked_at_too():
    ((code, problem),) = told(service(secrets={"api_key": "KEY"}))
    assert (code, problem.route) == ("FLG003", ("secrets", "api_key"))


@pytest.mark.parametrize("names", [{}, {"tp-size": 1}, {"tensor-parallel-size": 1}, {"model": "/m"}])
def test_declared_names_pass(names):
    assert told(service(names)) == []


@pytest.mark.parametrize("name", ["", "-", "--", "_", "é", "tp size", "=", "a" * 5000])
def test_hostile_names_are_unknown(name):
    assert [code for code, _ in told(service({name: 1}))] == ["FLG001"]


def test_nothing_is_said_without_a_schema():
    assert told(service({"no-such-flag": 1}, release="0.5.99")) == []
