"""The gate: what a server realised against what was promised, with the arithmetic."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgfleet.agent.gate import Tolerance, judge
from sgfleet.agent.promise import KvTokens, Promise
from sgfleet.memory.units import GB
from sgfleet.observe.observation import Measured

PROMISE = Promise(
    release="0.5.9",
    kv_tokens=KvTokens(159_277, 0, "measured"),
    host_pool_rank_bytes=44_770_923_648,
    settings={"tp_size": 8, "hicache_ratio": 4.0},
)
REALISED = Measured(
    version="0.5.9",
    release="0.5.9",
    kv_tokens=159_277,
    settings={"tp_size": 8, "hicache_ratio": 4.0},
    host_pool_gb=44.77,
)


def realised(**changes):
    return replace(REALISED, **changes)


def weights(verdict):
    return {each.what: each.weight for each in verdict.comparisons if each.weight != "note"}


def test_what_was_promised_is_kept():
    verdict = judge(PROMISE, REALISED)
    assert (verdict.ok, verdict.sure) == (True, True)
    assert set(weights(verdict).values()) == {"kept"}
    assert "159,277 KV tokens, 100% of 159,277 (measured); at least 156,092 are wanted (less 2.0%)" in verdict.text


def test_healthy_with_half_the_kv_cache_is_a_failed_apply():
    verdict = judge(PROMISE, realised(kv_tokens=79_638))
    assert not verdict.ok
    assert verdict.text == "79,638 KV tokens, 50% of 159,277 (measured); at least 156,092 are wanted (less 2.0%)"


@pytest.mark.parametrize("version", ["0.5.8", "0.5.9.post1", "0.5.9.dev0+g12345", "0.5.10"])
def test_another_release_is_a_failed_apply(version):
    verdict = judge(PROMISE, realised(version=version, release=None))
    assert not verdict.ok
    assert verdict.text == f"SGLang {version} runs, and 0.5.9 is promised"


@pytest.mark.parametrize(
    ("origin", "error", "floor"),
    [
        ("exact", 0, 100_000),
        ("measured", 0, 98_000),
        ("estimated", 0, 98_000),
        ("estimated", 5_000, 95_000),
        ("estimated", 90_000, 50_000),
    ],
)
def test_the_tolerance_follows_from_where_the_promise_comes(origin, error, floor):
    promise = replace(PROMISE, kv_tokens=KvTokens(100_000, error, origin))
    assert judge(promise, realised(kv_tokens=floor)).ok
    assert not judge(promise, realised(kv_tokens=floor - 1)).ok


def test_the_host_may_tolerate_more():
    assert not judge(PROMISE, realised(kv_tokens=150_000)).ok
    assert judge(PROMISE, realised(kv_tokens=150_000), Tolerance(least=0.06)).ok


def test_more_than_promised_is_fine_and_said():
    verdict = judge(PROMISE, realised(kv_tokens=200_000))
    assert (verdict.ok, verdict.sure) == (True, True)
    assert "40,723 KV tokens more than promised" in [each.text for each in verdict.comparisons]


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"version": None, "release": None}, "release"),
        ({"kv_tokens": None}, "kv-tokens"),
        ({"settings": {"tp_size": 8}}, "hicache_ratio"),
    ],
)
def test_what_the_server_does_not_say_is_not_sure(changes, what):
    verdict = judge(PROMISE, realised(**changes))
    assert (verdict.ok, verdict.sure) == (True, False)
    assert weights(verdict)[what] == "unknown"
    assert "does not say" in verdict.text


def test_what_is_not_promised_is_not_sure():
    promise = Promise("0.5.9", unknown=("KV tokens are not promised: the model is not known",))
    verdict = judge(promise, REALISED)
    assert (verdict.ok, verdict.sure) == (True, False)
    assert "the model is not known" in verdict.text
    assert "without a promise" in verdict.comparisons[1].text


@pytest.mark.parametrize(("name", "found"), [("tp_size", 4), ("hicache_ratio", 2.0)])
def test_a_setting_that_did_not_arrive(name, found):
    verdict = judge(PROMISE, realised(settings={**REALISED.settings, name: found}))
    assert not verdict.ok
    assert verdict.text == f"{name} is {found!r}, and {PROMISE.settings[name]!r} is promised"


def test_the_host_pool_of_the_journal():
    verdict = judge(PROMISE, realised(host_pool_gb=22.39))
    assert not verdict.ok
    assert verdict.text == "a host pool of 20.85 GiB a rank of 41.70 GiB; at least 40.86 GiB are wanted (less 2.0%)"
    unread = judge(PROMISE, realised(host_pool_gb=None))
    assert (unread.ok, unread.sure) == (True, True), "the settings are the evidence"
    assert "not read back" in unread.comparisons[-1].text


def test_the_host_pool_follows_the_estimate_of_the_tokens():
    promise = replace(PROMISE, kv_tokens=KvTokens(100_000, 20_000, "estimated"))
    found = realised(kv_tokens=85_000, host_pool_gb=44_770_923_648 * 0.85 / GB)
    assert judge(promise, found).ok


def test_the_last_verified_start_measures():
    estimated = replace(PROMISE, kv_tokens=KvTokens(100_000, 20_000, "estimated"))
    assert estimated.with_measured(90_000).kv_tokens == KvTokens(90_000, 0, "measured")
    assert estimated.with_measured(None) is estimated
    exact = replace(PROMISE, kv_tokens=KvTokens(100_000, 0, "exact"))
    assert exact.with_measured(90_000) is exact


origins = st.sampled_from(["exact", "measured", "estimated"])


@given(count=st.integers(0, 10**9), error=st.integers(0, 10**9), origin=origins, found=st.integers(0, 10**9))
def test_never_less_than_half_and_never_refused_at_the_promise(count, error, origin, found):
    promise = Promise("0.5.9", kv_tokens=KvTokens(count, error if origin == "estimated" else 0, origin))
    verdict = judge(promise, Measured(version="0.5.9", kv_tokens=found))
    if found >= count:
        assert verdict.ok
    if found < count // 2:
        assert not verdict.ok
    assert verdict.text
