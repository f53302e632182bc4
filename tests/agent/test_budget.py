"""The start budget and the progress rule, as cases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgfleet.agent.budget import PATIENCE, Patience, Sample, StartBudget, progress, start_budget

GIB = 2**30
MIB = 2**20


@pytest.mark.parametrize(
    ("weights", "last", "declared", "seconds", "limit", "said"),
    [
        (547 * 10**9, None, None, 2338, 7013, "2338 s: 300 s + 509.4 GiB of weights at 256 MiB/s; 3 × that at most"),
        (547 * 10**9, 660, None, 1320, 3960, "1320 s: 2 × 660 s of the last load; 3 × that at most"),
        (547 * 10**9, 660, 1500, 1320, 1500, "1320 s: 2 × 660 s of the last load; the spec's limit is 1500 s"),
        (547 * 10**9, 660, 900, 900, 900, "900 s: the spec's limit (else 1320 s: 2 × 660 s of the last load)"),
        (GIB, 20, None, 120, 360, "120 s: 120 s at least (2 × 20 s of the last load); 3 × that at most"),
        (None, None, None, 1800, 5400, "1800 s: neither the weights nor an earlier load are known; 3 × that at most"),
    ],
)
def test_the_budget_follows_from_what_is_known(weights, last, declared, seconds, limit, said):
    budget = start_budget(weights, last, declared)
    assert (round(budget.seconds), round(budget.limit_seconds)) == (seconds, limit)
    assert budget.arithmetic == said


BUDGET = StartBudget(600, 1800, "for a test")


def samples(seconds, *, cpu=0.0, memory=0, read=0, lines=0, every=10, stops=10**9):
    """A sample each ten seconds, growing by so much a second until it stops."""
    return [
        Sample(
            at,
            min(at, stops) * cpu,
            GIB + int(min(at, stops) * memory),
            int(min(at, stops) * read),
            int(min(at, stops) * lines),
        )
        for at in range(0, seconds + 1, every)
    ]


@pytest.mark.parametrize(
    ("taken", "state"),
    [
        ([], "loading"),
        (samples(100), "loading"),
        (samples(300, memory=100 * MIB), "loading"),
        (samples(1000, memory=100 * MIB), "slow"),
        (samples(1000, read=50 * MIB), "slow"),
        (samples(1000, lines=0.02), "slow"),
        (samples(1800, memory=100 * MIB), "over"),
        (samples(200), "stalled"),
        (samples(170), "loading"),
        (samples(500, cpu=8, memory=100 * MIB, stops=300), "stalled"),
        (samples(470, cpu=8, memory=100 * MIB, stops=300), "loading"),
        (samples(890, cpu=8), "slow"),
        (samples(910, cpu=8), "stalled"),
        (samples(200, cpu=0.001), "stalled"),
        (samples(1000, memory=0.1 * MIB), "slow"),
    ],
)
def test_what_counts_as_progress(taken, state):
    assert progress(taken, 0, BUDGET).state == state


def test_reasons_are_for_people():
    assert progress(samples(400), 0, BUDGET).reason == (
        "no processor time, memory, reading or log line for 400 s, 400 s into the load"
    )
    assert progress(samples(1000, cpu=1), 0, BUDGET).reason == (
        "only processor time for 1000 s: no memory, reading or log line, 1000 s into the load"
    )
    assert progress(samples(1800, memory=MIB), 0, BUDGET).reason == "1800 s of 1800 s (for a test)"
    assert progress(samples(1000, memory=MIB), 0, BUDGET).reason == "1000 s, past 600 s, and it still moves"


def test_freed_memory_is_progress_too():
    """Weights leave host memory for the GPU."""
    taken = [Sample(at, memory_bytes=100 * GIB - at * GIB // 10) for at in range(0, 700, 10)]
    assert progress(taken, 0, BUDGET).goes_on


def test_figures_that_nobody_could_read_are_no_progress():
    taken = [Sample(at) for at in range(0, 300, 10)]
    assert progress(taken, 0, BUDGET).state == "stalled"


def test_the_agent_was_away():
    """One sample before, one long after, with growth between: it moved, and nobody knows when it stopped."""
    assert progress([Sample(0, 0, 0, 0), Sample(500, 100, GIB, GIB)], 0, BUDGET).state == "loading"


def test_times_scale_for_engines_that_load_in_seconds():
    assert Patience().scaled(0.01).quiet == pytest.approx(1.8)
    assert progress(samples(20, every=1), 0, StartBudget(60, 60, ""), PATIENCE.scaled(0.1)).state == "stalled"


@given(
    weights=st.none() | st.integers(0, 10**13),
    last=st.none() | st.floats(0, 10**5),
    declared=st.none() | st.floats(1, 10**5),
)
def test_a_budget_never_passes_its_limit_nor_the_persons(weights, last, declared):
    budget = start_budget(weights, last, declared)
    assert 0 < budget.seconds <= budget.limit_seconds
    assert declared is None or budget.limit_seconds == declared
    assert last is None or declared is not None or budget.seconds >= last
