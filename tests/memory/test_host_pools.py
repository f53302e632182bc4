"""Host pools by era: how tokens are rounded, how small a pool may be, what it takes once pinned, what rides on it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.cases import H100, KIMI, LLAMA, mirrored, rank_pools
from sgfleet.memory.host_check import bounded, engine_check
from sgfleet.memory.host_pools import default_ratio, host_pools, total_bytes
from sgfleet.memory.ratio import Room, automatic_ratio, largest_ratios
from sgfleet.memory.units import GB, GIB

ROW = 70_272
DSA = "deepseek-ai/DeepSeek-V3.2"
LINEAR = "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-FP8"
WINDOW = "openai/gpt-oss-120b"
DRAFT = {"speculative_algorithm": "EAGLE", "speculative_num_draft_tokens": 4}


@pytest.mark.parametrize(
    ("release", "tokens"),
    [
        ("0.4.4.post3", 198_936),  # as asked
        ("0.4.4.post4", 198_912),  # down to whole pages
        ("0.5.5.post2", 198_912),
        ("0.5.5.post3", 198_976),  # one page more than the whole ones
        ("0.5.23", 198_976),
    ],
)
def test_tokens_are_rounded_to_pages(release, tokens):
    assert rank_pools(release, tokens=99_968, hicache_ratio=1.99, tp_size=8, page_size=64)["kv"].tokens == tokens


@pytest.mark.parametrize(
    ("release", "resident"),
    [
        ("0.4.5.post3", 64 * GIB),
        ("0.5.4.post1", 64 * GIB),
        ("0.5.4.post2", 40 * GB // ROW * ROW),
        ("0.5.9", (40 * GB // ROW + 1) * ROW),
    ],
)
def test_what_a_pool_of_40_gb_takes(release, resident):
    """torch's allocator of pinned memory takes the next power of two; from 0.5.4.post2 on it is not used any more."""
    pool = rank_pools(release, tp_size=8, hicache_size=40)
    assert pool["kv"].bytes <= 40 * GB + ROW
    assert pool["kv"].resident_bytes == resident


def test_a_size_goes_before_a_ratio():
    assert rank_pools("0.5.9", hicache_size=40, hicache_ratio=9.0)["kv"].tokens == 40 * GB // ROW + 1


@pytest.mark.parametrize(
    ("release", "asked", "expected"),
    [("0.4.4", {}, 3.0), ("0.4.5", {}, 2.0), ("0.5.9", {}, 2.0), ("0.5.23", {}, 2.0)],
)
def test_the_ratio_where_none_is_given(release, asked, expected):
    assert default_ratio(mirrored(release, **asked).settings) == expected


@pytest.mark.parametrize(
    ("release", "ratio", "verdict"),
    [
        ("0.4.5.post2", 0.9, "too-small"),
        ("0.4.5.post2", 1.0, "passes"),
        ("0.4.5.post3", 1.0, "too-small"),  # exactly as large is not larger
        ("0.5.9", 1.0, "passes"),  # one page more is
        ("0.5.9", 0.5, "too-small"),
        ("0.5.14", 0.5, "too-small"),
        ("0.5.15", 0.5, "passes"),
    ],
)
def test_how_small_a_pool_may_be(release, ratio, verdict):
    pools = tuple(rank_pools(release, tokens=64_000, hicache_ratio=ratio, tp_size=8).values())
    assert engine_check(release, pools, 8, 400 * GIB, ratio).verdict == verdict


def test_a_size_may_be_too_small():
    """11 GB are less than the 11.19 GB of the production machine's device pool."""
    pools = tuple(rank_pools("0.5.9", hicache_size=11, tp_size=8).values())
    check = engine_check("0.5.9", pools, 8, 400 * GIB, None)
    assert check.verdict == "too-small"
    assert "156,535 host tokens, 159,277 on the device" in check.arithmetic


@pytest.mark.parametrize("release", ["0.4.4.post2", "0.4.5"])
def test_the_check_that_forgot_the_layers(release):
    pools = rank_pools(release, tp_size=8, hicache_ratio=4.0)
    assert pools["kv"].bytes == pools["kv"].tokens * ROW // 61
    assert pools["kv"].resident_bytes >= pools["kv"].tokens * ROW


@pytest.mark.parametrize(
    ("release", "names"),
    [("0.5.9", {"kv"}), ("0.5.10", {"kv"}), ("0.5.11", {"kv", "index"}), ("0.5.23", {"kv", "index"})],
)
def test_index_keys_of_sparse_attention(release, names):
    """Part of the row at first, then a pool of their own: on top of --hicache-size."""
    pools = rank_pools(release, DSA, hardware=H100, hicache_size=40, tp_size=8)
    assert set(pools) == names
    own = 61 * 132
    assert pools["kv"].token_bytes == 61 * 576 * 2 + (0 if "index" in names else own)
    assert pools["kv"].bytes <= 40 * GB + 64 * pools["kv"].token_bytes
    if "index" in names:
        assert pools["index"].bytes == pools["kv"].tokens * own
        assert sum(pool.bytes for pool in pools.values()) > 40 * GB


@pytest.mark.parametrize(
    ("release", "packed", "names"),
    [
        ("0.5.10", False, {"kv"}),
        ("0.5.11", False, {"kv", "draft"}),
        ("0.5.18", True, {"kv"}),
        ("0.5.23", False, {"kv", "draft"}),
    ],
)
def test_where_the_rows_of_a_draft_are_kept(release, packed, names):
    of = mirrored(release, "deepseek-ai/DeepSeek-V3", 100_000, H100, packed, tp_size=8, hicache_ratio=2.0, **DRAFT)
    pools = {pool.name: pool for pool in host_pools(of, of.settings.hicache)}
    assert set(pools) == names
    assert of.draft_layers == 1
    if packed:
        assert pools["kv"].token_bytes == 62 * 576 * 2
    if "draft" in names:
        assert pools["draft"].token_bytes == 576 * 2
        more = 1 if release == "0.5.11" else 0  # it gets there through a ratio, and is rounded once more
        assert pools["draft"].tokens == pools["kv"].tokens + more


@pytest.mark.parametrize("release", ["0.5.13", "0.5.16"])
def test_each_pool_of_a_hybrid_model_had_the_whole_size(release):
    pools = rank_pools(release, WINDOW, hardware=H100, hicache_size=40, tp_size=8)
    assert set(pools) == {"kv", "sliding"}
    for pool in pools.values():
        assert 40 * GB - pool.token_bytes <= pool.bytes <= 40 * GB + pool.token_bytes


def test_a_hybrid_model_shares_the_size():
    pools = rank_pools("0.5.17", WINDOW, hardware=H100, hicache_size=40, tp_size=8)
    assert sum(pool.bytes for pool in pools.values()) == pytest.approx(40 * GB, rel=1e-4)
    assert pools["kv"].bytes / pools["sliding"].bytes == pytest.approx(1 / 0.8, rel=1e-3)


@pytest.mark.parametrize(
    ("release", "group_gib", "seen_gib"), [("0.5.20", 100, 396), ("0.5.21", 100, 100), ("0.5.21", 500, 396)]
)
def test_what_a_release_takes_for_available(release, group_gib, seen_gib):
    assert bounded(release, 396 * GIB, group_gib * GIB) == seen_gib * GIB
    assert bounded(release, 396 * GIB, None) == 396 * GIB


def test_the_ratio_is_made_to_fit():
    """0.8 of a rank's share, less five hundredths, over the bytes of the device pools; never more than the default."""
    of = mirrored("0.5.23", tp_size=8, hicache_ratio=None)
    device = of.pools.total_bytes
    budget = int((200 * GIB - 10 * GIB) // 8 * 0.8)
    chosen = automatic_ratio(of, of.settings.hicache, ranks=8, engine_available_bytes=200 * GIB)
    assert chosen == pytest.approx(budget * 0.95 / device)
    assert automatic_ratio(of, of.settings.hicache, ranks=8, engine_available_bytes=2000 * GIB) == 2.0
    assert automatic_ratio(of, of.settings.hicache._replace(size_gb=10), ranks=8, engine_available_bytes=GIB) is None
    early = mirrored("0.5.20", tp_size=8)
    assert automatic_ratio(early, early.settings.hicache, ranks=8, engine_available_bytes=200 * GIB) is None


def test_nothing_on_the_device_needs_nothing_on_the_host():
    assert total_bytes(tuple(rank_pools("0.5.5", tokens=0, tp_size=8, hicache_ratio=2.0).values())) == 0


ratios = st.floats(min_value=0.05, max_value=40)
releases = st.sampled_from(["0.4.3.post3", "0.4.5", "0.5.3", "0.5.9", "0.5.12", "0.5.17", "0.5.20", "0.5.23"])
models = st.sampled_from([KIMI, LLAMA, DSA, WINDOW])


@given(releases, models, ratios, ratios, st.integers(1, 10**6), st.sampled_from([1, 16, 64]))
def test_a_larger_ratio_never_takes_less(release, name, one, other, tokens, page):
    of = mirrored(release, name, tokens // page * page, H100, tp_size=8, page_size=page)
    less, more = (host_pools(of, of.settings.hicache, ratio) for ratio in sorted((one, other)))
    assert total_bytes(less) <= total_bytes(more)


@given(releases, models, ratios, st.integers(1, 10**6), st.sampled_from([1, 16, 64]))
def test_pools_are_whole_pages_of_whole_rows(release, name, ratio, tokens, page):
    of = mirrored(release, name, tokens // page * page, H100, tp_size=8, page_size=page)
    for pool in host_pools(of, of.settings.hicache, ratio):
        assert pool.tokens * pool.token_bytes in (pool.bytes, *range(pool.bytes * 61, pool.bytes * 61 + 61))
        assert pool.resident_bytes >= pool.bytes
        if release >= "0.4.5":
            assert pool.tokens % of.page_size == 0


@given(releases, st.integers(1, 16), st.integers(20, 2000), st.integers(0, 100))
def test_the_largest_ratio_is_the_largest(release, ranks, available_gib, reserve_gib):
    """It fits, and a hundredth more does not, by policy as by the engine's own check."""
    of = mirrored(release, LLAMA, 100_000, H100, tp_size=8)
    hicache, available = of.settings.hicache, available_gib * GIB
    room = available - reserve_gib * GIB
    found = largest_ratios(of, hicache, ranks=ranks, room=Room(room, available, available))

    def engine_passes(ratio):
        made = host_pools(of, hicache, ratio)
        return engine_check(release, made, ranks, available, ratio).verdict in {"passes", "too-small"}

    def policy_allows(ratio):
        return ranks * total_bytes(host_pools(of, hicache, ratio)) <= room

    for value, fits in ((found.policy, policy_allows), (found.engine, engine_passes)):
        if value is None:
            assert not fits(0.01)
        else:
            assert fits(value)
            assert not fits(round(value + 0.01, 2))
