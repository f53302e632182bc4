"""Bounds of numbers hold in every release, under whichever name its parser lists first."""

from __future__ import annotations

import math

import pytest

from rules.said import said
from rules.views import service
from sgfleet.engine import store
from sgfleet.rules.flags._bounds import ANY, BOUNDS, bounds_of, figure, outside

LEFT = frozenset((
    # zero and less are taken on purpose: off, no limit, the same as 1, or a number that means something
    "batch-notify-size", "debug-tensor-dump-layers", "default-priority-value", "dwdp-size",
    "expert-distribution-recorder-buffer-size", "gc-threshold", "gc-warning-threshold-secs", "int8-mamba-ckpt-size",
    "kv-canary-sweep-interval", "load-snapshot-publish-interval", "max-micro-batch-size", "n-share-experts-fusion",
    "numa-node", "offload-group-size", "optimistic-prefill-attempts", "optimistic-prefill-retries",
    "pp-async-batch-depth", "priority-scheduling-preemption-threshold", "scheduler-recv-interval",
    "torch-compile-max-bs",
    # what uses them has not been read
    "ds-heavy-channel-num", "ds-heavy-token-num", "ds-sparse-decode-threshold",
    "hicache-storage-prefetch-retry-poll-interval", "hybrid-kvcache-ratio", "kt-cpuinfer",
    "kt-max-deferred-experts-per-token", "kt-num-gpu-experts", "kt-threadpool-count", "min-free-slots-delay",
    "multi-item-scoring-delimiter", "offload-num-in-group", "offload-prefetch-step",
    "prefill-delayer-max-delay-ms", "prefill-delayer-max-delay-passes", "prefill-delayer-queue-min-ratio",
    "prefill-delayer-token-usage-low-watermark", "sm-group-num", "speculative-accept-threshold-acc",
    "speculative-accept-threshold-single", "speculative-domino-candidate-pool-size", "speculative-ngram-branch-length",
    "speculative-ngram-capacity", "speculative-ngram-external-corpus-max-tokens",
    "speculative-ngram-external-sam-budget", "speculative-ngram-max-bfs-breadth",
    "speculative-ngram-max-match-window-size", "speculative-ngram-max-trie-depth", "speculative-ngram-min-bfs-breadth",
    "speculative-ngram-min-match-window-size", "tbo-token-distribution-threshold",
))  # fmt: skip
"""Numbers that are held against what 64 bits hold, and against nothing else."""

RELEASES = store.available()
NUMBERS = ("int", "float", "human_readable_int")


def numbers(version):
    """The flags of a release that take numbers, any numbers."""
    return [flag for flag in store.load(version).flags if flag.type in NUMBERS and flag.choices is None]


def view_with(version, value, flags):
    """A service that gives every one of these flags the same number."""
    given = {each.name: value if each.nargs in (None, "?") else [value] for each in flags}
    return service(given, release=version)


def routes(view):
    """The flags that are out of range."""
    return {problem.route[1] for problem in said("flags.out_of_range", view)}


def test_every_name_is_one_of_some_release():
    known = {name for version in RELEASES for name in store.load(version).by_name}
    assert BOUNDS.keys() - known == set()
    assert LEFT - known == set()


@pytest.mark.parametrize("version", RELEASES)
def test_every_number_has_bounds_or_is_left_on_purpose(version):
    bounded = {flag.name for flag in numbers(version) if not BOUNDS.keys().isdisjoint(flag.names)}
    assert {flag.name for flag in numbers(version)} - bounded - LEFT == set()
    assert bounded & LEFT == set()


@pytest.mark.parametrize("version", RELEASES)
def test_all_names_of_a_setting_have_the_same_bounds(version):
    by_dest = {}
    for flag in numbers(version):
        by_dest.setdefault(flag.dest, set()).update(BOUNDS.get(name, bounds_of(flag)) for name in flag.names)
    assert {dest: found for dest, found in by_dest.items() if len(found) > 1} == {}


@pytest.mark.parametrize("version", RELEASES)
def test_defaults_are_within_bounds(version):
    plain = {flag.name: flag.default for flag in numbers(version) if isinstance(flag.default, int | float)}
    assert {name: value for name, value in plain.items() if outside(value, bounds_of(named(version, name)))} == {}


def named(version, name):
    """A flag of a release."""
    return store.load(version).by_name[name]


@pytest.mark.parametrize("version", RELEASES)
def test_what_no_machine_has_is_an_error_wherever_it_stands(version):
    # A flag of one setting stands for all of them: what two of them give is the last one's.
    flags = list({flag.dest: flag for flag in numbers(version)}.values())
    every = {flag.name for flag in flags}
    assert routes(view_with(version, 10**20, flags)) == every
    assert routes(view_with(version, -(10**20), flags)) == every
    real = [flag for flag in flags if flag.type == "float"]
    assert routes(view_with(version, math.nan, real)) == {flag.name for flag in real}
    finite = {flag.name for flag in real if not bounds_of(flag).infinite}
    assert routes(view_with(version, math.inf, real)) == finite


@pytest.mark.parametrize(
    ("release", "flag", "value"),
    [
        ("0.5.13", "tensor-parallel-size", 0),
        ("0.5.13", "tp-size", 0),
        ("0.5.14", "tp-size", 0),
        ("0.5.23", "tensor-parallel-size", -1),
        ("0.5.23", "ep-size", -3),
        ("0.5.23", "attn-cp-size", 0),
        ("0.5.23", "moe-dp-size", 0),
        ("0.5.12", "cuda-graph-max-bs", 0),
        ("0.5.16", "cuda-graph-max-bs", 0),
        ("0.5.23", "cuda-graph-max-bs-decode", 0),
        ("0.5.23", "cuda-graph-max-bs-prefill", -5),
        ("0.5.12", "hicache-ratio", 9_999_999),
        ("0.5.12", "context-length", 10**300),
        ("0.5.12", "context-length", "9999999T"),
        ("0.5.12", "num-continuous-decode-steps", -5),
        ("0.5.12", "dist-timeout", -1),
        ("0.5.12", "watchdog-timeout", 0),
        ("0.5.17", "mamba-max-states-per-path", 0),
    ],
)
def test_a_number_that_cannot_work(release, flag, value):
    (problem,) = said("flags.out_of_range", service({flag: value}, release=release))
    assert problem.route == ("flags", flag)
    assert problem.help


@pytest.mark.parametrize(
    ("release", "flag", "value"),
    [
        ("0.5.23", "mamba-max-states-per-path", -1),
        ("0.5.23", "offload-group-size", -1),
        ("0.5.23", "media-url-max-file-size-mb", 0),
        ("0.5.12", "hicache-size", 0),
        ("0.5.12", "chunked-prefill-size", 0),
        ("0.5.12", "bucket-inter-token-latency", [0.1, math.inf]),
        ("0.5.1", "max-queued-requests", 2**63 - 1),
        ("0.5.12", "random-seed", 2**32 - 1),
        ("0.5.6", "swa-full-tokens-ratio", 0),
    ],
)
def test_a_number_that_is_taken_on_purpose(release, flag, value):
    assert said("flags.out_of_range", service({flag: value}, release=release)) == []


def test_a_number_of_a_list_is_pointed_at():
    (problem,) = said("flags.out_of_range", service({"cuda-graph-bs": [1, 0, 8]}))
    assert problem.route == ("flags", "cuda-graph-bs", 1)
    assert problem.help == "write 1, or leave it out of the list"


def test_a_bound_that_fits_no_machine_is_no_advice():
    (problem,) = said("flags.out_of_range", service({"context-length": 10**19}))
    assert problem.message == "context-length 10,000,000,000,000,000,000 must be at most 2,147,483,647"
    assert problem.help == "leave context-length out"


@pytest.mark.parametrize(
    ("value", "words"),
    [(70000, "70000"), (0.85, "0.85"), (1.0, "1"), (9_999_999, "9,999,999"), (1e308, "1e+308"),
     (-(10**400), "-1.00e+400"), (math.inf, "inf"), (math.nan, "nan")],
)  # fmt: skip
def test_figures(value, words):
    assert figure(value) == words


def test_every_bound_lets_something_pass():
    ends = (0, 1, 2, 0.5, 1024)
    assert all(any(outside(end, bounds) is None for end in ends) for bounds in (*BOUNDS.values(), ANY))
