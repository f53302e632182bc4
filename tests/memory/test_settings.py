"""What a service says about memory, from the flags of any release."""

from __future__ import annotations

import pytest

from memory.cases import KIMI, settings
from sgfleet.engine import store
from sgfleet.memory.flags import settings_of
from sgfleet.memory.hardware import parse_capability
from sgfleet.memory.settings import SettingsError


@pytest.mark.parametrize("release", store.available())
def test_every_release_has_settings(release):
    of = settings_of(store.load(release), {"model-path": "/m", "tp-size": 4, "mem-fraction-static": 0.7})
    assert (of.release, of.model_path, of.tp, of.fraction) == (release, "/m", 4, 0.7)
    assert of.unmodelled == ()
    assert of.prefill_graph_blockers == ()
    assert of.hicache is None
    assert of.speculative is None
    assert (of.attention_tp, of.ranks, of.ranks_per_host) == (4, 4, 4)


@pytest.mark.parametrize("spelled", ["tp-size", "tensor-parallel-size"])
def test_all_names_of_a_flag_are_the_flag(spelled):
    assert settings_of(store.load("0.5.9"), {"model-path": "m", spelled: 8}).tp == 8


@pytest.mark.parametrize(
    ("release", "flags", "expected"),
    [
        ("0.5.9", {"dp_size": 8, "enable_dp_attention": True}, (8, 1, 8)),
        ("0.5.9", {"dp_size": 2}, (1, 2, 16)),
        ("0.5.23", {"dp_size": 8, "enable_dp_attention": True}, (8, 1, 8)),
        ("0.5.23", {"attn_dp_size": 4}, (4, 1, 8)),
    ],
)
def test_groups_of_attention_and_copies_of_the_model(release, flags, expected):
    of = settings(release, tp_size=8, **flags)
    assert (of.attention_dp, of.replicas, of.ranks) == expected


def test_ranks_are_spread_over_nodes():
    of = settings("0.5.9", tp_size=16, nnodes=2)
    assert (of.ranks, of.ranks_per_host) == (16, 8)


@pytest.mark.parametrize(
    ("release", "flags", "expected"),
    [
        ("0.5.9", {"disable_cuda_graph": True}, (False, None)),
        ("0.5.13", {"disable_cuda_graph": True}, (False, None)),
        ("0.5.14", {"disable_cuda_graph": True}, (False, False)),
        ("0.5.23", {"cuda_graph_config": {"prefill": {"backend": "disabled"}, "decode": {"max_bs": 7}}}, (True, False)),
    ],
)
def test_which_graphs_are_asked_for(release, flags, expected):
    of = settings(release, tp_size=8, **flags)
    assert (of.graphs.decode, of.graphs.prefill) == expected
    if "cuda_graph_config" in flags:
        assert of.graphs.decode_max_batch == 7


def test_the_host_tier():
    of = settings("0.5.23", enable_hierarchical_cache=True, hicache_size=40, hicache_mem_layout="page_first").hicache
    assert (of.ratio, of.size_gb, of.layout, of.fraction) == (None, 40, "page_first", 0.8)
    assert settings("0.5.9", enable_hierarchical_cache=True).hicache.ratio == 2.0
    assert settings("0.5.9", hicache_ratio=4.0).hicache is None


def test_what_is_not_followed_is_named():
    of = settings("0.5.23", enable_unified_memory=True, dcp_size=2, cpu_offload_gb=4)
    assert of.unmodelled == (
        ("enable-unified-memory", "the unified memory pool"),
        ("dcp-size", "decode context parallelism"),
        (
            "cpu-offload-gb",
            "offloading of weights to the host, where each rank pins up to 4 GiB of RAM for them",
        ),
    )


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"tp_size": 0}, "tp-size: 0 ranks cannot be"),
        ({"tp_size": 10**9}, "tp-size: 1000000000 ranks cannot be"),
        ({"tp_size": "x"}, 'tp-size: takes an integer, not "x"'),
        ({"mem_fraction_static": float("nan")}, "mem-fraction-static: nan is not a number"),
        ({"page_size": 0}, "page-size: 0 is less than 1"),
        ({"max_total_tokens": -5}, "max-total-tokens: -5 is less than 1"),
        ({"enable_hierarchical_cache": True, "hicache_ratio": -1.0}, "hicache-ratio: -1 is no ratio"),
        ({"enable_hierarchical_cache": True, "hicache_ratio": float("inf")}, "hicache-ratio: inf is not a number"),
    ],
)
def test_values_that_cannot_be(flags, said):
    with pytest.raises(SettingsError) as caught:
        settings("0.5.9", KIMI, **flags)
    assert str(caught.value) == said


def test_values_of_other_flags_do_not_matter():
    """`sgfleet check` says what is wrong with them; the budgets do not depend on it."""
    assert settings("0.5.3", reasoning_parser="of-tomorrow", no_such_flag=1, tp_size=8).tp == 8


@pytest.mark.parametrize(("text", "expected"), [("12.0", (12, 0)), ("9", (9, 0)), ("", None), (None, None)])
def test_compute_capability(text, expected):
    assert parse_capability(text) == expected


@pytest.mark.parametrize("release", store.available())
@pytest.mark.parametrize(
    "flag",
    ["tp-size", "pp-size", "ep-size", "cuda-graph-max-bs", "cuda-graph-max-bs-decode", "cuda-graph-bs",
     "cuda-graph-bs-decode", "piecewise-cuda-graph-max-tokens"],
)  # fmt: skip
def test_what_is_wrong_is_named_as_the_release_names_it(release, flag):
    names = store.load(release).by_name
    if flag not in names:
        return
    with pytest.raises(SettingsError) as caught:
        settings_of(store.load(release), {"model-path": "m", flag: [0] if names[flag].nargs == "+" else -3})
    assert caught.value.name.replace("_", "-") in names
    assert names[caught.value.name.replace("_", "-")].dest == names[flag].dest
