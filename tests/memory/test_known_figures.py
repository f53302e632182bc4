"""Figures that SGLang's own code gave when it was run with these settings, to the byte."""

from __future__ import annotations

import pytest

from memory.cases import B200, H100, KIMI, KIMI_TOKENS, LLAMA, cell, default_fraction, model, rank_pools, settings
from sgfleet.memory.cards import card
from sgfleet.memory.free import free_before
from sgfleet.memory.host_check import engine_check, last_share
from sgfleet.memory.state import state_bytes, state_slots
from sgfleet.memory.units import GIB

AVAILABLE = 396 * GIB
RANKS = 8


@pytest.mark.parametrize(
    ("release", "name", "flags", "expected"),
    [
        ("0.5.9", LLAMA, {}, 0.848),
        ("0.5.9", LLAMA, {"speculative_algorithm": "EAGLE", "speculative_draft_model_path": "/d"}, 0.827),
        ("0.5.9", LLAMA, {"dp_size": 8, "enable_dp_attention": True}, 0.66),
        ("0.5.9", KIMI, {}, 0.77146),
        ("0.5.9", KIMI, {"language_only": True}, 0.848),
        ("0.5.23", LLAMA, {}, 0.844),
        ("0.5.23", KIMI, {}, 0.75781),
        ("0.5.23", LLAMA, {"disaggregation_mode": "decode"}, 0.895),
    ],
)
def test_default_fraction(release, name, flags, expected):
    assert default_fraction(release, name, tp_size=8, **flags) == pytest.approx(expected, abs=5e-6)


@pytest.mark.parametrize(
    ("name", "tp", "kv_cache_dtype", "expected"),
    [
        (KIMI, 8, "auto", 70_272),
        (KIMI, 1, "auto", 70_272),  # a latent row lies whole on every rank
        (KIMI, 8, "fp8_e4m3", 35_136),
        (KIMI, 8, "fp4_e2m1", 19_764),
        (LLAMA, 8, "auto", 40_960),
        (LLAMA, 8, "fp8_e5m2", 20_480),
        (LLAMA, 8, "fp4_e2m1", 11_520),
        (LLAMA, 4, "auto", 81_920),
        (LLAMA, 16, "auto", 40_960),  # eight heads of K and V: more ranks hold copies
    ],
)
def test_bytes_of_a_token(name, tp, kv_cache_dtype, expected):
    assert cell("0.5.9", name, tp_size=tp, kv_cache_dtype=kv_cache_dtype).budget == expected


@pytest.mark.parametrize(
    ("release", "budgeted", "allocated"),
    [("0.5.3", 576, 656 + 132), ("0.5.9", 576 + 132, 656 + 132), ("0.5.16", 708, 788), ("0.5.17", 788, 788)],
)
def test_fp8_rows_of_sparse_attention_were_budgeted_too_small(release, budgeted, allocated):
    of = cell(release, "deepseek-ai/DeepSeek-V3.2", H100, tp_size=8, kv_cache_dtype="fp8_e4m3")
    assert of.budget == budgeted * 61
    assert of.full_allocated == allocated * 61


def test_fp8_rows_of_the_trtllm_backend_are_plain():
    of = cell("0.5.10", "deepseek-ai/DeepSeek-V3.2", B200, tp_size=8, kv_cache_dtype="fp8_e4m3")
    assert of.full_allocated == (576 + 132) * 61


@pytest.mark.parametrize(
    ("ratio", "tokens", "rank_gb", "rank_gib", "host_gib", "left_gib"),
    [(2.0, 318_555, 22.39, 20.85, 166.78, 229.2), (4.0, 637_109, 44.77, 41.70, 333.57, 62.4)],
)
def test_host_pools_of_the_production_machine(ratio, tokens, rank_gb, rank_gib, host_gib, left_gib):
    pool = rank_pools("0.5.9", tp_size=8, hicache_ratio=ratio)["kv"]
    assert pool.tokens == tokens
    assert pool.bytes == pool.resident_bytes == tokens * 70_272
    assert round(pool.bytes / 1e9, 2) == rank_gb
    assert round(pool.bytes / GIB, 2) == rank_gib
    assert round(RANKS * pool.bytes / GIB, 2) == host_gib
    assert round((AVAILABLE - RANKS * pool.bytes) / GIB, 1) == left_gib


def test_device_pool_of_the_production_machine():
    assert KIMI_TOKENS * cell("0.5.9", KIMI, tp_size=8).budget == 11_192_713_344


def test_host_pool_in_pages_of_64():
    pool = rank_pools("0.5.9", tokens=KIMI_TOKENS // 64 * 64, tp_size=8, hicache_ratio=4.0, page_size=64)["kv"]
    assert pool.tokens == 636_992
    assert round(RANKS * pool.bytes / GIB, 2) == 333.51


def test_the_share_of_each_rank_depends_on_who_was_first():
    """One pinned peer is passed beside, two are not; the limit for any order is (A - 10 GiB) / (2 N - 1)."""
    pools = tuple(rank_pools("0.5.20", tp_size=8, hicache_ratio=4.0).values())
    check = engine_check("0.5.20", pools, RANKS, AVAILABLE, 4.0)
    assert (check.verdict, check.peers) == ("order", 1)
    limit = (AVAILABLE - 10 * GIB) / (2 * RANKS - 1)
    safe = tuple(rank_pools("0.5.20", tp_size=8, hicache_ratio=2.46).values())
    assert safe[0].bytes <= limit
    assert engine_check("0.5.20", safe, RANKS, AVAILABLE, 2.46).verdict == "passes"
    unsafe = tuple(rank_pools("0.5.20", tp_size=8, hicache_ratio=2.47).values())
    assert unsafe[0].bytes > limit
    assert engine_check("0.5.20", unsafe, RANKS, AVAILABLE, 2.47).verdict == "order"
    assert last_share(safe, RANKS, AVAILABLE) >= 0 > last_share(unsafe, RANKS, AVAILABLE)


def test_what_the_third_rank_is_told():
    """The engine said "only have 40.61 GB free" to a rank that came after two."""
    pool = rank_pools("0.5.20", tp_size=8, hicache_ratio=4.0)["kv"]
    share = (AVAILABLE - 2 * pool.bytes - 10 * GIB) // RANKS
    assert share / 1e9 == pytest.approx(40.61, abs=0.01)
    assert share < pool.bytes


def test_old_checks_let_ranks_pin_more_than_there_is():
    pools = tuple(rank_pools("0.5.9", tp_size=8, hicache_ratio=5.0).values())
    check = engine_check("0.5.9", pools, RANKS, AVAILABLE, 5.0)
    assert check.verdict == "unsummed"
    assert round(check.limit_bytes / 1e9, 1) == 414.5
    assert engine_check("0.5.9", pools, RANKS, AVAILABLE, 5.0).arithmetic.endswith("8 ranks take 447.71 GB")


def test_one_rank_alone_passes_up_to_thirty_seven():
    for ratio, verdict in ((37.0, "passes"), (38.0, "refused")):
        pools = tuple(rank_pools("0.5.9", tp_size=8, hicache_ratio=ratio).values())
        assert engine_check("0.5.9", pools, 1, AVAILABLE, ratio).verdict == verdict


# ---- figures that public start-up logs printed, beside those of tests/corpus ---------------------------------------


def test_states_of_a_model_with_linear_layers():
    """Two cards, 0.5.9: 82 slots and a padding one took 0.13 + 7.29 GiB, 580,364 tokens 4.15 GiB of K and of V."""
    name = "Qwen/Qwen3.5-397B-A17B"
    of = settings("0.5.9", name, tp_size=2, max_mamba_cache_size=82)
    layers = model(name).shape.layers
    slots = state_slots(0, state_bytes(layers, of), of)
    assert slots.count == 82
    assert slots.allocated_bytes / GIB == pytest.approx(0.13 + 7.29, abs=0.01)
    rows = cell("0.5.9", name, H100, tp_size=2, page_size=1).full_allocated
    assert 580_365 * rows / GIB == pytest.approx(4.15 + 4.15, abs=0.01)


def test_a_window_s_pool_with_uneven_rows():
    """Four cards, pages of 64: 300,288 tokens of sliding layers took 8.38 GiB of K and 5.59 GiB of V."""
    rows = cell("0.5.8", "XiaomiMiMo/MiMo-V2-Flash", H100, tp_size=4).sliding_allocated
    assert (300_288 + 64) * rows / GIB == pytest.approx(8.38 + 5.59, abs=0.01)


def test_free_memory_before_the_weights():
    """Eight H200 with NVLink printed 137.29 to 137.52 GiB."""
    found = free_before(card("H200", 8), 8)
    assert abs(found.bytes - 137.29 * GIB) < 0.5 * GIB < found.error_bytes
