"""Host pools as sgfleet computes them against those that the release's own classes build, to the byte."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from real_sglang.environments import RELEASES
from real_sglang.pool_cases import Case, ask, expected, shapes, sizes

pytestmark = pytest.mark.sglang

GIB = 2**30
KIMI = Case("mla", tokens=159_277, layers=61)
"""Kimi K2.5's pool on one of eight ranks: 70,272 bytes a token."""


def disagreement(release, case, said):
    """None where the real pools are those that were computed."""
    ours = expected(release, case)
    if "error" in said:
        return f"{said['error']}: {said['message']}"
    tokens = [(pool.tokens, pool.token_bytes) for pool in ours.pools]
    theirs = [(pool["tokens"], pool["token_bytes"]) for pool in said["pools"]]
    if tokens != theirs:
        return f"tokens and bytes of one: ours {tokens}, theirs {theirs}"
    if ours.resident_bytes != said["allocated_bytes"]:
        return f"bytes: ours {ours.resident_bytes}, theirs {said['allocated_bytes']}"
    if ours.device_bytes != said["device_bytes"]:
        return f"device bytes: ours {ours.device_bytes}, theirs {said['device_bytes']}"
    logged = logged_gb(said["log"])
    if abs(ours.pools[0].bytes / 1e9 - logged) > 0.005 + 1e-9:
        return f"logged {logged} GB, ours {ours.pools[0].bytes}"
    return None


def logged_gb(lines):
    found = [match for line in lines if (match := re.search(r"(\d+\.\d\d) GB host memory", line))]
    return float(found[0][1])


@pytest.mark.parametrize("release", RELEASES)
def test_pools_agree_to_the_byte(release, environment_of):
    cases = shapes(release) + sizes()
    answers = ask(environment_of(release), cases)
    differing = [f"{case}: {wrong}" for case, said in zip(cases, answers, strict=True)
                 if (wrong := disagreement(release, case, said))]  # fmt: skip
    assert not differing, f"{len(differing)} of {len(cases)}:\n" + "\n".join(differing[:10])
    assert len(cases) > 100


@pytest.mark.parametrize("release", RELEASES)
def test_too_small_a_pool_is_refused_where_the_release_refuses_it(release, environment_of):
    cases = [Case(tokens=1000, ratio=ratio) for ratio in (0.1, 0.5, 0.999, 1.0, 1.01)]
    cases += [Case(tokens=1024, page_size=64, ratio=ratio) for ratio in (0.9, 0.94, 1.0)]
    cases.append(Case(tokens=200_000, ratio=None, size_gb=1))  # 1 GB holds 61,035 tokens
    for case, said in zip(cases, ask(environment_of(release), cases), strict=True):
        verdict = expected(release, case).check.verdict
        assert verdict == ("too-small" if said.get("error") == "AssertionError" else "passes"), (case, said)
        assert "error" not in said or said["error"] == "AssertionError"


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("case", [KIMI, Case(tokens=159_277, page_size=1, layers=80)], ids=["mla", "mha"])
def test_too_little_ram_is_refused_from_the_same_byte_on(release, case, environment_of):
    needed = expected(release, case).pools[0].bytes + 10 * GIB
    cases = [replace(case, available_bytes=needed + more) for more in (-1, 0, 1)]
    if release == "0.5.23":
        cases += [replace(case, group_bytes=needed + more) for more in (-1, 0)]
    answers = ask(environment_of(release), cases)
    for case_, said in zip(cases, answers, strict=True):
        verdict = expected(release, case_).check.verdict
        assert (verdict == "refused") == (said.get("error") == "ValueError"), (case_, said)
    assert {"error" in said for said in answers} == {True, False}


def test_a_group_bound_is_not_seen_by_0_5_9(environment_of):
    case = replace(KIMI, group_bytes=GIB)
    [said] = ask(environment_of("0.5.9"), [case])
    assert "error" not in said
    assert expected("0.5.9", case).check.verdict == "passes"


def test_which_rank_is_refused_beside_pinned_peers(environment_of):
    """0.5.23 divides what is left by all ranks although peers have pinned theirs: eight ranks in 396 GiB."""
    release, ranks, available = "0.5.23", 8, 396 * GIB
    asked = [
        replace(case, ratio=ratio, ranks=ranks, available_bytes=available)
        for case in (KIMI, Case("dsa", tokens=60_032, page_size=64, layers=61))
        for ratio in (2.0, 2.46, 2.47, 4.0, 8.0, 40.0)
    ]
    ours = [expected(release, case) for case in asked]
    beside = [
        replace(case, available_bytes=available - peers * one.resident_bytes)
        for case, one in zip(asked, ours, strict=True)
        for peers in range(ranks)
    ]
    answers = iter(ask(environment_of(release), beside))
    for case, one in zip(asked, ours, strict=True):
        starts = ["error" not in next(answers) for _ in range(ranks)]
        assert starts == sorted(starts, reverse=True)
        if one.check.verdict == "order":
            assert 0 < sum(starts) < ranks, case
            assert sum(starts) == one.check.peers + 1, case
        else:
            assert (one.check.verdict, sum(starts)) in [("passes", ranks), ("refused", 0)], case
    assert {one.check.verdict for one in ours} == {"passes", "order", "refused"}
