"""The decision: what main asks for, what is seen, what is remembered -> what is remembered next, and one action.

Pure. The caller writes the record, does the action, looks again, and asks again, until there is no action. Because the
record is written first and every action can be repeated, a kill at any point loses nothing. The promises that this
keeps are the invariants in tests/agent/exploration, which tries every sequence to a depth.
"""

from __future__ import annotations

from typing import NamedTuple

from sgfleet.agent import phases
from sgfleet.agent.begin import begin
from sgfleet.agent.decision import Decision
from sgfleet.agent.record import ABSENT, Attempt, Phase, Record
from sgfleet.agent.seen import Action, Permit, Seen, Wanted

__all__ = ["Input", "decide"]


class Input(NamedTuple):
    """Everything that a decision is made from."""

    wanted: Wanted
    seen: Seen
    permit: Permit = Permit()


def decide(given: Input, record: Record) -> Decision:
    """The next step for one service."""
    attempt = record.attempt
    if attempt is None:
        return begin(given.wanted, given.seen, given.permit, record)
    seen = given.seen
    if attempt.boot != seen.boot:
        attempt = phases.after_boot(attempt, seen)
        record = record._replace(attempt=attempt)
    newer = _superseded(given, record, attempt)
    return newer if newer is not None else phases.go_on(attempt, seen, record)


def _superseded(given: Input, record: Record, attempt: Attempt) -> Decision | None:
    """A newer unit does not wait behind a load, if it may be tried at all; an equal one does not start it again."""
    wanted, seen = given.wanted, given.seen
    if wanted.unit == attempt.goal or wanted.refusal is not None or given.permit.word is not None:
        return None
    if attempt.adopt:
        return None  # what runs is looked at first: it is all that there would be to go back to
    if wanted.unit == attempt.failed or record.failure(wanted.unit) is not None:
        return None
    if wanted.unit == ABSENT:
        return None  # a removal waits: what is under way ends in a state that is known
    if seen.admission is None:
        return Decision(record, Action.ADMIT, phases.status_of(attempt))
    if seen.admission is not True:
        return None
    newer = Attempt(wanted.unit, before=attempt.before, boot=seen.boot, touched=attempt.touched)
    if attempt.phase is not Phase.STAGING:
        newer = newer._replace(before=seen.instance or attempt.before, touched=True)
    return Decision(record._replace(attempt=newer, broken=None), Action.STAGE, phases.status_of(newer))
