"""From the card down to KV tokens: what the parts add up to, and how tokens follow from what is left."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.cases import B200, H100, KIMI, KIMI_TOKENS, LLAMA, RTX_PRO, budget, load_of, model, settings
from sgfleet.memory.device import NotKnownError, gpu_budget
from sgfleet.memory.draft import DraftLayers
from sgfleet.memory.hardware import Hardware
from sgfleet.memory.lines import gpu_lines
from sgfleet.memory.observed import Observed
from sgfleet.memory.runtime import request_table_bytes
from sgfleet.memory.service import Service, same_pools, same_weights
from sgfleet.memory.units import GIB
from sgfleet.memory.window import window_of

LINEAR = "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-FP8"
WINDOW = "openai/gpt-oss-120b"
DRAFT = {"speculative_algorithm": "EAGLE", "speculative_num_draft_tokens": 4}
FREE_TOKENS = int((93.0 * 0.8 - 60.0) * GIB) // 70_272
MEASURED = Observed(free_before_gib=93.0, weights_gib=60.0)
RELEASES = ["0.4.3", "0.4.9", "0.5.3", "0.5.7", "0.5.9", "0.5.12", "0.5.14", "0.5.18", "0.5.20", "0.5.23"]


def parts_of(of):
    lines = {line.name: line for line in gpu_lines(of)}
    total = lines.pop("card" if "card" in lines else "free")
    return total, lines


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    "name", [KIMI, LLAMA, WINDOW, LINEAR, "deepseek-ai/DeepSeek-V3.2", "deepseek-ai/DeepSeek-V4-Pro"]
)
@pytest.mark.parametrize("flags", [{}, DRAFT, {"dp_size": 8, "enable_dp_attention": True}, {"pp_size": 2}])
def test_the_parts_add_up_to_the_card(release, name, flags):
    if flags is DRAFT and name == KIMI:  # it has no layers that draft, and two of it are more than the card has
        flags = {**DRAFT, "speculative_draft_model_path": "somebody/kimi-eagle"}
    of = budget(release, name, B200, tp_size=8, **flags)
    total, lines = parts_of(of)
    assert sum(line.bytes for line in lines.values()) == total.bytes == B200.memory_bytes
    assert all(line.bytes > 0 for line in lines.values() if line.name != "left")
    assert of.tokens > 0


def test_measured_terms_give_the_release_s_own_arithmetic():
    """int((free after weights - free before * (1 - f)) * 2**30) // cell."""
    of = budget("0.5.9", KIMI, RTX_PRO, MEASURED, tp_size=8, mem_fraction_static=0.8)
    assert of.tokens == FREE_TOKENS
    assert of.error_tokens < of.tokens * 0.01


@pytest.mark.parametrize(
    ("flags", "tokens"),
    [
        ({"page_size": 64}, FREE_TOKENS // 64 * 64),
        ({"max_total_tokens": 100_000}, 100_000),
        ({"max_total_tokens": 100_000, "page_size": 64}, 99_968),
        ({"max_total_tokens": 10**9}, FREE_TOKENS),
    ],
)
def test_tokens_are_bounded_and_in_pages(flags, tokens):
    assert budget("0.5.9", KIMI, RTX_PRO, MEASURED, tp_size=8, mem_fraction_static=0.8, **flags).tokens == tokens


def test_a_pool_has_one_page_more_than_its_tokens():
    of = budget("0.5.9", KIMI, RTX_PRO, MEASURED, tp_size=8, mem_fraction_static=0.8, page_size=64)
    assert of.pools.kv_bytes == (of.tokens + 64) * 70_272


@pytest.mark.parametrize(("release", "inside"), [("0.5.13", False), ("0.5.14", True)])
def test_a_draft_comes_out_of_what_the_fraction_leaves_until_it_is_part_of_it(release, inside):
    flags = {"tp_size": 8, "mem_fraction_static": 0.8}
    plain = budget(release, "deepseek-ai/DeepSeek-V3", B200, **flags)
    drafted = budget(release, "deepseek-ai/DeepSeek-V3", B200, **flags, **DRAFT)
    assert (drafted.tokens < plain.tokens) is inside
    assert bool(drafted.pools.draft_bytes) is inside
    assert bool(drafted.draft_outside_bytes) is not inside
    row = drafted.pools.draft_bytes or drafted.draft_outside_bytes
    assert row == (drafted.tokens + drafted.resolved.page_size) * 576 * 2
    if inside:
        assert drafted.cell.draft == 70_272 // 61


def test_ngram_has_no_draft():
    assert budget("0.5.20", LLAMA, H100, tp_size=8, speculative_algorithm="NGRAM").draft_weights is None


@pytest.mark.parametrize(("release", "reserved"), [("0.5.17", 0), ("0.5.18", 100 * 2**20), ("0.5.23", 100 * 2**20)])
def test_pictures_have_a_cache_of_their_own(release, reserved):
    assert budget(release, KIMI, RTX_PRO, tp_size=8).multimodal_bytes == reserved
    assert budget(release, KIMI, RTX_PRO, tp_size=8, language_only=True).multimodal_bytes in (0, reserved)


def test_the_size_of_that_cache_is_a_variable():
    of = settings("0.5.23", KIMI, {"SGLANG_VLM_CACHE_SIZE_MB": "512"}, tp_size=8)
    assert gpu_budget(of, load_of(of, KIMI), RTX_PRO).multimodal_bytes == 512 * 2**20


def test_sliding_layers_have_a_smaller_pool():
    of = budget("0.5.12", WINDOW, H100, tp_size=8, swa_full_tokens_ratio=0.25, page_size=1)
    assert of.pools.sliding_tokens == of.tokens // 4
    assert of.pools.sliding_bytes == (of.pools.sliding_tokens + 1) * of.cell.sliding_allocated
    assert of.pools.bytes_a_token == of.cell.full_budget + 0.25 * of.cell.sliding_budget


def test_without_a_window_s_pool_all_layers_keep_all_tokens():
    of = budget("0.5.12", WINDOW, H100, tp_size=8, disable_hybrid_swa_memory=True, page_size=1)
    assert of.pools.sliding_tokens is None
    assert of.cell.sliding_layers == 0


@pytest.mark.parametrize("release", ["0.5.8", "0.5.10"])
def test_memory_was_shared_out_after_tokens_were_counted(release):
    """As if all layers kept all tokens; then the bytes are spread so that the window has its share."""
    of = budget(release, WINDOW, H100, tp_size=8, page_size=1)
    counted = of.rest_bytes // of.cell.budget
    even = of.cell.budget / (of.cell.full_budget + 0.8 * of.cell.sliding_budget)
    assert of.tokens == int(counted * even)


@pytest.mark.parametrize(
    ("release", "flags", "count"),
    [
        ("0.5.12", {"max_mamba_cache_size": 100}, 100),
        ("0.5.12", {"disable_radix_cache": True, "max_running_requests": 64}, 64),
        ("0.5.20", {"max_mamba_cache_size": 80, "dp_size": 8, "enable_dp_attention": True}, 10),
    ],
)
def test_slots_for_states_where_flags_say_how_many(release, flags, count):
    of = budget(release, LINEAR, H100, tp_size=8, **flags)
    assert of.pools.state.count == count
    assert of.pools.state_bytes == (count + 1) * of.pools.state.slot_bytes
    assert of.pools.state.taken_bytes == (count + (release == "0.5.20")) * of.pools.state.slot_bytes


def test_slots_for_states_by_ratio():
    of = budget("0.5.12", LINEAR, H100, tp_size=8, mamba_full_memory_ratio=1.0)
    assert of.pools.state_bytes == pytest.approx(of.rest_bytes / 2, rel=0.01)


def test_a_stage_with_few_tokens_decides_for_all():
    """Nemotron has its attention layers unevenly: the release takes the fewest tokens of all stages."""
    of = budget("0.5.9", LLAMA, H100, tp_size=4, pp_size=2)
    assert of.cell.full_layers == 40
    assert of.stage in (0, 1)


@pytest.mark.parametrize("partition", ["40,40", "", "²,1", "100,-20", "x", "1,2,3", "9" * 40 + ",1"])
def test_a_partition_of_layers_that_is_none_is_even(partition):
    of = settings("0.5.9", LLAMA, {"SGLANG_PP_LAYER_PARTITION": partition}, tp_size=4, pp_size=2)
    assert gpu_budget(of, load_of(of, LLAMA), H100).cell.full_layers == 40


def test_a_partition_of_layers():
    of = settings("0.5.9", LLAMA, {"SGLANG_PP_LAYER_PARTITION": "30, 50"}, tp_size=4, pp_size=2)
    assert gpu_budget(of, load_of(of, LLAMA), H100).cell.full_layers == 50
    of = settings("0.5.9", LLAMA, {"SGLANG_PP_LAYER_PARTITION": "30,40"}, tp_size=4, pp_size=2)
    with pytest.raises(NotKnownError, match="is for 70 layers, and the model has 80"):
        gpu_budget(of, load_of(of, LLAMA), H100)


def test_weights_that_do_not_fit_leave_nothing():
    of = budget("0.5.9", KIMI, H100, tp_size=4)
    assert of.tokens == 0
    assert of.pools.total_bytes == 0
    assert window_of(of).low > 1


def test_nothing_is_known_without_a_card():
    with pytest.raises(NotKnownError, match="memory of the GPU is not known"):
        budget("0.5.9", LLAMA, Hardware(), tp_size=8)
    with pytest.raises(NotKnownError, match="default memory fraction depends on the card"):
        budget("0.5.9", LLAMA, Hardware(), MEASURED, tp_size=8)
    assert budget("0.5.9", LLAMA, Hardware(), MEASURED, tp_size=8, mem_fraction_static=0.8).tokens > 0


@pytest.mark.parametrize(
    ("flags", "requests"),
    [
        ({}, 2048),
        ({"max_running_requests": 16}, 16),
        ({"max_running_requests": 64, "dp_size": 8, "enable_dp_attention": True}, 8),
        (DRAFT, 48),
    ],
)
def test_the_table_of_requests(flags, requests):
    of = settings("0.5.9", LLAMA, tp_size=8, context_length=8192, **flags)
    assert request_table_bytes(of, model(LLAMA).shape, 10_000) == 4 * requests * (8192 + 4)


def test_long_contexts_want_a_large_table():
    of = settings("0.5.9", KIMI, tp_size=8)
    assert request_table_bytes(of, model(KIMI).shape, 200_000) == 4 * 2048 * (262_144 + 4) > 2 * GIB


@given(
    st.sampled_from(RELEASES),
    st.sampled_from([KIMI, LLAMA, WINDOW, LINEAR]),
    st.floats(0.5, 0.95),
    st.floats(0.5, 0.95),
)
def test_a_larger_fraction_never_gives_fewer_tokens(release, name, one, other):
    low, high = sorted((one, other))
    fewer, more = (budget(release, name, B200, tp_size=8, mem_fraction_static=value) for value in (low, high))
    assert fewer.tokens <= more.tokens


@given(
    st.sampled_from(RELEASES),
    st.sampled_from([KIMI, LLAMA, WINDOW, LINEAR]),
    st.floats(0.3, 0.99),
    st.sampled_from([1, 16, 64]),
    st.booleans(),
)
def test_every_budget_adds_up(release, name, value, page, drafting):
    flags = {"page_size": page} if release >= "0.4.4" else {}
    flags |= DRAFT if drafting else {}
    of = budget(release, name, B200, tp_size=8, mem_fraction_static=value, **flags)
    total, lines = parts_of(of)
    assert sum(line.bytes for line in lines.values()) == total.bytes
    assert of.tokens % of.resolved.page_size == 0
    assert of.pools.kv_bytes <= max(0, of.rest_bytes) + of.resolved.page_size * of.cell.full_allocated * 2


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", [LLAMA, KIMI])
def test_fractions_inside_the_window_work_and_others_do_not(release, name):
    window = window_of(budget(release, name, B200, tp_size=8))
    assert 0 < window.low < window.high < 1
    assert budget(release, name, B200, tp_size=8, mem_fraction_static=window.low).tokens > 0
    assert budget(release, name, B200, tp_size=8, mem_fraction_static=window.low - 0.002).tokens == 0
    inside = budget(release, name, B200, tp_size=8, mem_fraction_static=window.high)
    outside = budget(release, name, B200, tp_size=8, mem_fraction_static=window.high + 0.01)
    wanted = inside.needed_bytes - inside.graph_bytes
    assert inside.left_bytes >= wanted > outside.left_bytes


def test_a_draft_outside_the_fraction_narrows_the_window():
    plain, drafted = (
        window_of(budget("0.5.12", "deepseek-ai/DeepSeek-V3", B200, tp_size=8, **flags)) for flags in ({}, DRAFT)
    )
    assert drafted.low == plain.low
    assert drafted.high < plain.high


# ---- a start that was observed ---------------------------------------------------------------------------------


def service(observed, release="0.5.9", started="0.5.9", name=KIMI, changed=None, **flags):
    """A service whose start was observed with `flags`, and which is looked at with `changed`."""
    flags = {"tp_size": 8, **flags}
    now = settings(release, name, **{**flags, **(changed or {})})
    then = settings(started, name, **flags)
    return Service("s", now, load_of(now, name), RTX_PRO, observed, then)


def test_observed_tokens_are_what_is_said():
    of = service(Observed("0.5.9", kv_tokens=KIMI_TOKENS))
    assert of.budget.tokens == KIMI_TOKENS
    assert of.budget.measured_tokens
    assert of.budget.error_tokens == 0


@pytest.mark.parametrize("changed", [{"hicache_ratio": 4.0}, {"enable_hierarchical_cache": False}])
def test_the_host_tier_does_not_move_the_device_pool(changed):
    of = service(Observed("0.5.9", kv_tokens=KIMI_TOKENS), enable_hierarchical_cache=True, changed=changed)
    assert of.budget.measured_tokens


def test_another_fraction_is_computed_from_what_the_start_left():
    """Its weights are worked out from its tokens, so that the error of the free memory cancels out."""
    seen = Observed("0.5.9", kv_tokens=100_000)
    of = service(seen, changed={"mem_fraction_static": 0.8})
    before = service(seen).budget
    more = (0.8 - before.fraction.value) * before.free_before.bytes / 70_272
    assert of.budget.tokens == pytest.approx(100_000 + more, abs=2)
    assert not of.budget.measured_tokens
    assert 0 < of.budget.error_tokens < 10_000


def test_what_nobody_counted_is_what_was_not_free():
    seen = Observed("0.5.9", kv_tokens=100_000, free_after_gib=5.0)
    of = service(seen).budget
    assert of.left_bytes == pytest.approx(5 * GIB, abs=2)
    assert of.unaccounted_bytes > 0


def test_a_pool_that_no_weights_explain_is_said():
    """The production machine: its pool is larger than its fraction gives with any weights of this checkpoint."""
    of = service(
        Observed("0.5.9", kv_tokens=KIMI_TOKENS), speculative_algorithm="EAGLE3", speculative_draft_model_path="/d"
    )
    found = of.budget
    assert found.unexplained_bytes > 0
    assert found.weights.origin == "estimated"
    assert found.implied_fraction > found.fraction.value
    wanted = found.implied_fraction * found.free_before.bytes
    assert wanted == pytest.approx(found.weights.bytes + KIMI_TOKENS * 70_272, rel=1e-3)
    fewer = service(Observed("0.5.9", kv_tokens=20_000), name=LLAMA).budget
    assert fewer.unexplained_bytes < 0


def test_other_weights_make_the_observation_void():
    seen = Observed("0.5.9", kv_tokens=KIMI_TOKENS, free_before_gib=93.2)
    assert service(seen, changed={"kv_cache_dtype": "fp8_e4m3"}).budget.free_before.origin == "measured"
    other = service(seen, changed={"quantization": "fp8"}).budget
    assert (other.free_before.origin, other.weights.origin) == ("measured", "estimated")
    fewer = service(seen, changed={"tp_size": 4}).budget
    assert fewer.free_before.origin == "estimated"
    assert not fewer.measured_tokens


def test_a_start_of_an_unknown_release_says_no_tokens():
    of = replace(service(Observed("9.9.9", kv_tokens=KIMI_TOKENS, weights_gib=60.0)), started=None)
    assert of.budget.weights.origin == "measured"
    assert not of.budget.measured_tokens


def test_what_makes_pools_and_weights_alike():
    one = settings("0.5.9", tp_size=8)
    assert same_pools(one, settings("0.5.9", tp_size=8, enable_hierarchical_cache=True, hicache_ratio=9.0))
    assert not same_pools(one, settings("0.5.10", tp_size=8))
    assert not same_pools(one, settings("0.5.9", tp_size=8, page_size=64))
    assert same_weights(one, settings("0.5.10", tp_size=8, page_size=64))
    assert not same_weights(one, settings("0.5.9", tp_size=4))


def test_draft_layers_without_facts_are_said_to_be_guessed():
    of = settings("0.5.9", LLAMA, tp_size=8, speculative_algorithm="EAGLE3", speculative_draft_model_path="/d")
    draft = load_of(of, LLAMA).draft
    assert isinstance(draft, DraftLayers)
    assert (draft.count, draft.error_bytes) == (1, draft.weight_bytes)
    assert "/d is not known" in draft.notes[0]
