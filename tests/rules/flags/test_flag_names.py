"""Names that are no flag of the release: each is reported by one rule, once, with what to write."""

from __future__ import annotations

import difflib

import pytest

from rules import checking
from rules.said import said
from rules.views import service
from sgfleet.engine.argv import near
from sgfleet.engine.meant import COMPARED

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


def test_only_the_first_of_very_many_unknown_names_are_compared(monkeypatch):
    real, compared = difflib.SequenceMatcher.ratio, []
    monkeypatch.setattr(difflib.SequenceMatcher, "ratio", lambda self: compared.append(self.b) or real(self))
    near._nearest.cache_clear()
    found = told(service({f"tensor-paralel-syze{number}": 1 for number in range(2000)}))
    assert [code for code, _ in found] == ["FLG001"] * 2000
    assert {problem.help for _, problem in found[:COMPARED]} == {"did you mean tensor-parallel-size?"}
    assert {problem.help for _, problem in found[COMPARED:]} == {
        "remove it, unless it is a slip: only the first 20 unknown names are compared with the flags"
    }
    assert len(set(compared)) == COMPARED  # by five rules and the arguments, and by each of them only once
    assert len(compared) <= COMPARED * near._COMPARED


def test_what_needs_no_comparison_is_said_of_the_last_of_many_names_too():
    names = {f"unknown-{number}": 1 for number in range(COMPARED + 5)}
    last = dict(told(service({**names, "tp_size": 1, "mem-frac": 1, "attn-dp-size": 1, "FOO_BAR": 1}))[-1:])
    assert list(last) == ["FLG005"]
    helps = {problem.route[1]: problem.help for _, problem in told(service({**names, "tp_size": 1, "mem-frac": 1}))}
    assert (helps["tp_size"], helps["mem-frac"]) == ("write tp-size", "write mem-fraction-static")


def test_nothing_of_a_check_is_done_for_each_pair_of_unknown_names(tmp_path, monkeypatch):
    sliced = []

    class Route(tuple):
        __slots__ = ()

        def __getitem__(self, which):
            sliced.append(which)
            return super().__getitem__(which)

    from sgfleet.rules import host_check

    real = host_check.weigh
    monkeypatch.setattr(
        host_check, "weigh", lambda *args: [each._replace(route=Route(each.route)) for each in real(*args)]
    )
    flags = "".join(f"      unknown-{number}: true\n" for number in range(300))
    text = f"""host: example-01
services:
  example:
    release: "0.5.9"
    python: /opt/sglang/bin/python3
    flags:
      model-path: /m
{flags}"""
    found = checking.check(tmp_path, {"hosts/example-01/host.yaml": text})
    assert sum(each.code == "FLG001" for each in found) == 300
    assert not any(each.code == "RND005" for each in found)
    assert len(sliced) <= 20 * len(found)
