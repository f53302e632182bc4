"""All services of a host against its RAM, its policy, its NUMA nodes and the bounds that systemd puts on each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.cases import H100, KIMI, KIMI_TOKENS, LLAMA, RTX_PRO, load_of, settings
from sgfleet.memory.host import HostFacts, host_budget
from sgfleet.memory.lines import host_lines
from sgfleet.memory.observed import Observed
from sgfleet.memory.seen import ratios_with_tokens
from sgfleet.memory.service import Limits, Service
from sgfleet.memory.units import GIB
from sgfleet.memory.verdict import gpu_statements, host_statements, pinning_statement, ram_statements

FACTS = HostFacts(512 * GIB, 396 * GIB, reserve_bytes=48 * GIB)


def service(name="a", release="0.5.9", model=KIMI, hardware=RTX_PRO, limits=None, tokens=KIMI_TOKENS, **flags):
    flags = {"tp_size": 8, "enable_hierarchical_cache": True, "hicache_ratio": 4.0, **flags}
    of = settings(release, model, **flags)
    observed = None if tokens is None else Observed(release, kv_tokens=tokens)
    return Service(name, of, load_of(of, model), hardware, observed, of, limits or Limits())


def said(statements):
    return [f"{each.weight}: {each.text}" + (f" | {each.help}" if each.help else "") for each in statements]


def test_the_production_machine():
    budget = host_budget([service()], FACTS)
    assert budget.pinned_bytes == 8 * 637_109 * 70_272
    assert budget.left_bytes == 396 * GIB - budget.pinned_bytes
    assert budget.fits
    assert said(host_statements(budget)) == [
        "note: the engine's own check passes: 44.77 GB a pool against 425.20 GB free less 10 GiB, for each rank alone",
        "note: largest ratio: 4.17 by policy, 4.62 by the engine's check in any order of the ranks",
        "note: host pools pin 333.57 GiB of 396.00 GiB: 62.43 GiB are left, and policy wants 48.00 GiB",
    ]


def test_too_much_for_policy_and_then_for_the_machine():
    assert said(ram_statements(host_budget([service(hicache_ratio=4.2)], FACTS))) == [
        "error: host pools pin 350.25 GiB of 396.00 GiB: 45.75 GiB are left, and policy wants 48.00 GiB"
    ]
    assert said(ram_statements(host_budget([service(hicache_ratio=5.0)], FACTS))) == [
        "error: host pools pin 416.96 GiB, and only 396.00 GiB are available"
    ]


def test_a_release_that_divides_its_check_starts_or_not():
    found = said(host_statements(host_budget([service(release="0.5.20")], FACTS)))
    assert found[0] == (
        "error: starts or not depending on the order of the ranks: 44.77 GB a pool against (425.20 GB less 10 GiB) / 8 "
        "ranks = 51.81 GB, and less for each rank that has pinned its pool before: passes beside 1, not beside 2 | "
        "largest ratio: 4.17 by policy, 2.46 by the engine's check in any order of the ranks"
    )
    assert not any(line.startswith("note: largest") for line in found)


def test_services_of_a_host_are_summed():
    one, other = service("a", hicache_ratio=2.0), service("b", hicache_ratio=2.0)
    alone, both = host_budget([one], FACTS), host_budget([one, other], FACTS)
    assert both.pinned_bytes == 2 * alone.pinned_bytes
    assert both.shares[0].largest.policy < alone.shares[0].largest.policy
    fits = both.shares[0].largest.policy
    assert host_budget([service("a", hicache_ratio=fits), other], FACTS).fits
    assert not host_budget([service("a", hicache_ratio=round(fits + 0.01, 2)), other], FACTS).fits


def test_services_without_a_host_tier_take_none():
    plain = service("b", hicache_ratio=None, enable_hierarchical_cache=False)
    budget = host_budget([plain], FACTS)
    assert budget.pinned_bytes == 0
    assert said(host_statements(budget)) == []
    assert host_lines(budget.shares[0]) == []


def test_a_host_whose_ram_nobody_knows():
    budget = host_budget([service()], HostFacts())
    assert budget.left_bytes is None
    assert budget.fits is None
    assert budget.notes == ("not checked: how much RAM the host has is not known",)
    assert budget.shares[0].check is None
    assert budget.pinned_bytes > 0


def test_only_the_total_is_known():
    budget = host_budget([service()], HostFacts(400 * GIB, 400 * GIB, assumed=True))
    assert "is not known: all of it is taken for available" in budget.notes[0]


@pytest.mark.parametrize(
    ("limits", "broken"),
    [
        (
            Limits(memory_max_bytes=340 * GIB),
            "pools and processes take 333.6 GiB + 19.0 GiB, and MemoryMax= is 340.0 GiB",
        ),
        (Limits(memory_max_bytes=360 * GIB), None),
        (Limits(memlock_bytes=40 * GIB), "a rank pins 41.7 GiB, and LimitMEMLOCK= is 40.0 GiB"),
        (Limits(memlock_bytes=42 * GIB), None),
    ],
)
def test_bounds_of_systemd(limits, broken):
    share = host_budget([service(limits=limits)], FACTS).shares[0]
    assert (share.memory_max or share.memlock) == broken


def test_a_bound_of_the_control_group_is_seen_from_0_5_21_on():
    limits = Limits(memory_high_bytes=200 * GIB)
    earlier, later = (host_budget([service(release=release, limits=limits)], FACTS) for release in ("0.5.20", "0.5.21"))
    assert earlier.shares[0].check.verdict == "order"
    assert later.shares[0].check.verdict == "refused"


@pytest.mark.parametrize(
    ("release", "flags", "broken"),
    [
        ("0.5.7", {}, None),
        ("0.5.9", {}, "4 ranks on NUMA node 0 pin 166.8 GiB, and it has about 150.0 GiB"),
        ("0.5.9", {"disable_hicache_numa_detect": True}, None),
        ("0.5.10", {}, None),
    ],
)
def test_a_node_must_hold_the_pools_that_are_bound_to_it(release, flags, broken):
    facts = HostFacts(512 * GIB, 396 * GIB, numa=(0,) * 4 + (1,) * 4, numa_bytes={0: 150 * GIB, 1: 362 * GIB})
    share = host_budget([service(release=release, model=LLAMA, tokens=273_000, **flags)], facts).shares[0]
    assert (share.numa is None) == (broken is None)
    if broken:
        assert share.numa.endswith("and it has about 150.0 GiB")


def test_one_node_is_no_matter():
    facts = HostFacts(512 * GIB, 396 * GIB, numa=(0,) * 8)
    assert host_budget([service()], facts).shares[0].numa is None


@pytest.mark.parametrize(
    ("release", "model", "expected"),
    [
        ("0.4.4", KIMI, "0.4.4 has no host pool for MLA rows"),
        ("0.5.8", "deepseek-ai/DeepSeek-V3.2", "0.5.8 has no host pool for DSA index keys"),
        ("0.5.9", "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-FP8", "0.5.9 has no host pool for linear layers"),
        ("0.5.12", "openai/gpt-oss-120b", "0.5.12 has no host pool for sliding layers"),
        ("0.5.23", "deepseek-ai/DeepSeek-V4-Pro", "not computed: host pools of DeepSeek V4"),
    ],
)
def test_models_that_a_release_has_no_host_pool_for(release, model, expected):
    flags = {"hicache_ratio": None} if release < "0.4.4.post2" else {}
    budget = host_budget([service(release=release, model=model, hardware=H100, tokens=None, **flags)], FACTS)
    share = budget.shares[0]
    assert (share.refused, share.pinned_bytes) == (expected, 0)
    assert said(host_statements(budget))[0].endswith(expected)


def test_the_release_picks_a_ratio_by_itself():
    facts = HostFacts(200 * GIB, 150 * GIB)
    share = host_budget([service(release="0.5.23", hicache_ratio=None)], facts).shares[0]
    assert share.chosen
    assert 0 < share.ratio < 2
    assert share.check is None


def test_a_hundredth_less_of_ratio_for_fewer_tokens():
    of = service(release="0.5.20")
    budget = host_budget([of], FACTS)
    assert ratios_with_tokens(of, KIMI_TOKENS, budget).engine == budget.shares[0].largest.engine == 2.46
    assert ratios_with_tokens(of, KIMI_TOKENS // 2, budget).engine == pytest.approx(4.93, abs=0.01)
    assert ratios_with_tokens(of, KIMI_TOKENS, host_budget([of], HostFacts())) is None


def test_pinning_by_powers_of_two_is_said():
    assert pinning_statement("0.5.9") is None
    assert "next power of two" in pinning_statement("0.5.3")


def test_lines_of_a_rank_and_of_all():
    lines = {line.name: line for line in host_lines(host_budget([service()], FACTS).shares[0])}
    assert lines["rank_kv"].detail == "637,109 tokens × 70,272 B"
    assert lines["pinned"].bytes == 8 * lines["rank_kv"].bytes
    assert lines["pinned"].detail == "8 ranks × 41.70 GiB"


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ({"mem_fraction_static": 0.3}, "error: memory fraction 0.300 leaves no room for KV rows | fractions from"),
        ({"mem_fraction_static": 0.999}, "error: memory fraction 0.999 takes"),
        ({"tp_size": 2}, "error: no memory fraction works: weights need"),
    ],
)
def test_what_is_said_of_a_gpu(flags, expected):
    assert said(gpu_statements(service(tokens=None, **flags)))[0].startswith(expected)


def test_a_release_without_the_model_is_said():
    found = said(gpu_statements(service(release="0.5.8", tokens=None)))
    assert any("no implementation of KimiK25ForConditionalGeneration" in line for line in found)
    assert any(line.endswith("it came with 0.5.9") for line in found)


@given(st.floats(1, 10), st.floats(1, 10), st.integers(1, 3))
def test_more_ratio_leaves_less(one, other, count):
    low, high = sorted((one, other))
    less, more = (
        host_budget([service(str(index), hicache_ratio=ratio) for index in range(count)], FACTS)
        for ratio in (low, high)
    )
    assert less.left_bytes >= more.left_bytes
    assert less.pinned_bytes == sum(share.pinned_bytes for share in less.shares)
