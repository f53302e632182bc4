"""The planner keeps its promises in every sequence of events, and the exploration would see a planner that does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agent.exploration.explore import explore
from agent.exploration.world import EXITS, GOOD, HALF, OTHER
from sgfleet.agent import planner
from sgfleet.agent.record import ABSENT, Phase
from sgfleet.agent.seen import Gate

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgfleet.agent.decision import Decision
    from sgfleet.agent.planner import Input
    from sgfleet.agent.record import Record

    Decide = Callable[[Input, Record], Decision]

DEPTH = 4
"""What a second allows; `make explore` goes deeper."""


def test_every_sequence_keeps_the_promises() -> None:
    found = explore(DEPTH)
    assert not found.broken, "\n".join(f"{each.promise}: {' → '.join(each.events)}" for each in found.broken)
    assert found.states > 5_000
    assert found.passes > 10_000


def _forgets_what_failed(given: Input, record: Record) -> Decision:
    return planner.decide(given, record._replace(quarantine=()))


def _believes_an_open_port(given: Input, record: Record) -> Decision:
    return planner.decide(given._replace(seen=given.seen._replace(gate=Gate(True))), record)


def _asks_no_checks(given: Input, record: Record) -> Decision:
    return planner.decide(given._replace(seen=given.seen._replace(admission=True)), record)


def _does_not_hear_a_freeze(given: Input, record: Record) -> Decision:
    return planner.decide(given._replace(permit=given.permit._replace(word=None)), record)


def _takes_any_process_for_the_new_one(given: Input, record: Record) -> Decision:
    decision = planner.decide(given, record)
    attempt = decision.record.attempt
    if attempt is not None and attempt.phase is Phase.STOPPING and not attempt.back:
        skipped = decision.record._replace(attempt=attempt._replace(phase=Phase.GATING, instance=given.seen.instance))
        return decision._replace(record=skipped, action=None)
    return decision


def _counts_an_attempt_as_done(given: Input, record: Record) -> Decision:
    decision = planner.decide(given, record)
    attempt = decision.record.attempt
    if attempt is not None and attempt.phase is Phase.GATING and not attempt.adopt:
        return decision._replace(record=decision.record._replace(verified=attempt.goal, attempt=None))
    return decision


def _leaves_it_at_the_failure(given: Input, record: Record) -> Decision:
    decision = planner.decide(given, record)
    attempt = decision.record.attempt
    if attempt is not None and attempt.back:
        return decision._replace(record=decision.record._replace(attempt=None), action=None)
    return decision


def _goes_by_the_last_commit(given: Input, record: Record) -> Decision:
    """As a tool does that compares with its history: what was verified before is never applied again."""
    if given.wanted.unit == record.previous != ABSENT and record.attempt is None:
        given = given._replace(wanted=given.wanted._replace(unit=record.verified))
    return planner.decide(given, record)


@pytest.mark.parametrize(
    "planted",
    [
        _forgets_what_failed,
        _believes_an_open_port,
        _asks_no_checks,
        _does_not_hear_a_freeze,
        _takes_any_process_for_the_new_one,
        _counts_an_attempt_as_done,
        _leaves_it_at_the_failure,
        _goes_by_the_last_commit,
    ],
)
def test_a_planted_fault_is_found(planted: Decide) -> None:
    units = (GOOD, OTHER) if planted is _goes_by_the_last_commit else (GOOD, OTHER, HALF, EXITS, ABSENT)
    found = explore(DEPTH + 1, planted, units)  # it ends at the first depth that shows something
    assert found.broken
    assert found.broken[0].events
