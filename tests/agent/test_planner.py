"""Single decisions that the exploration does not reach: a host that does not let the agent write."""

from __future__ import annotations

from sgfleet.agent.planner import Input, decide
from sgfleet.agent.reason import Reason
from sgfleet.agent.record import Attempt, Phase, Record
from sgfleet.agent.seen import Action, Live, Seen, Wanted, Word

FULL = Reason("host-no-space", "no space left")
SEEN = Seen(installed="old", live=Live.RUNNING, instance="1", boot="b", admission=True, error=FULL, done=Action.STAGE)


def test_nothing_was_touched_where_staging_fails() -> None:
    record = Record("old", attempt=Attempt("new", boot="b"))
    decision = decide(Input(Wanted("new"), SEEN), record)
    assert (decision.record, decision.action) == (Record("old"), None)
    assert decision.status.word is Word.BLOCKED


def test_what_was_superseded_half_done_does_not_stay_where_the_newer_one_cannot_be_staged() -> None:
    loading = Record("old", attempt=Attempt("bad", Phase.GATING, instance="2", boot="b"))
    seen = SEEN._replace(installed="bad", instance="2", error=None, done=None)
    superseded = decide(Input(Wanted("new"), seen), loading).record
    assert superseded.attempt is not None
    assert superseded.attempt.touched
    back = decide(Input(Wanted("new"), seen._replace(error=FULL, done=Action.STAGE)), superseded)
    assert back.record.attempt is not None
    assert (back.record.attempt.goal, back.record.attempt.back, back.action) == ("old", True, Action.STOP)
    assert back.record.quarantine == ()  # the host is to blame, and no unit
