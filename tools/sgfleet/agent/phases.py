"""An attempt is under way: phase by phase, from what is seen to the next record and action."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.agent.decision import Decision
from sgfleet.agent.reason import Reason
from sgfleet.agent.record import ABSENT, Attempt, Phase, Record
from sgfleet.agent.seen import Action, Live, Seen, Status, Word

if TYPE_CHECKING:
    from collections.abc import Callable

_WORDS: Final = {
    Phase.STAGING: Word.STAGING,
    Phase.STOPPING: Word.STOPPING,
    Phase.CLEARING: Word.CLEARING,
    Phase.INSTALLING: Word.STARTING,
    Phase.RELOADING: Word.STARTING,
    Phase.STARTING: Word.STARTING,
    Phase.GATING: Word.GATING,
    Phase.BAKING: Word.BAKING,
}


def status_of(attempt: Attempt, reason: Reason | None = None) -> Status:
    """The state that people are told while an attempt is under way."""
    return Status(_WORDS[attempt.phase], reason or attempt.why)


def go_on(attempt: Attempt, seen: Seen, record: Record) -> Decision:
    """The next step of an attempt."""
    return _STEPS[attempt.phase](attempt, seen, record)


def after_boot(attempt: Attempt, seen: Seen) -> Attempt:
    """The machine was started again. Whatever ran is gone; what systemd started is the file that was installed.

    From STARTING on that file is the goal, so its process is the attempt's: a load that the boot began is not begun
    again. One that failed while the machine came up gets one more start. Before that, the process may be of either
    file, and is replaced.
    """
    if attempt.adopt:
        return attempt._replace(instance=seen.instance, restarts=seen.restarts, boot=seen.boot)
    phase = attempt.phase
    if phase in {Phase.STARTING, Phase.GATING, Phase.BAKING}:
        phase = Phase.RELOADING if seen.live is Live.FAILED else Phase.STARTING
    return attempt._replace(phase=phase, restart=True, before="", instance="", restarts=0, boot=seen.boot)


def fail(attempt: Attempt, seen: Seen, record: Record, reason: Reason) -> Decision:
    """The attempt failed: its unit is not tried again, and what was verified comes back.

    Where that is what failed, or nothing is known to have worked, what stands there is left, and a person is told.
    """
    failed = record._replace(attempt=None)
    if not attempt.back:
        failed = failed.condemn(attempt.goal, reason)
    if attempt.back or attempt.adopt or attempt.goal in {record.verified, ABSENT}:
        return Decision(failed._replace(broken=reason), None, Status(Word.BROKEN, reason))
    return _go_back(attempt, seen, failed, reason)


def _go_back(attempt: Attempt, seen: Seen, record: Record, reason: Reason) -> Decision:
    back = Attempt(
        record.verified,
        Phase.STOPPING,
        back=True,
        failed=attempt.goal,
        why=reason,
        before=seen.instance,
        boot=seen.boot,
    )
    return Decision(record._replace(attempt=back), Action.STOP, status_of(back))


def _staging(attempt: Attempt, seen: Seen, record: Record) -> Decision:
    if seen.error is not None:  # the host is not ready, the unit is not to blame
        if attempt.touched:  # what was superseded stands half done, and cannot stay
            return _go_back(attempt, seen, record, seen.error)
        return Decision(record._replace(attempt=None), None, Status(Word.BLOCKED, seen.error))
    if attempt.goal != ABSENT and seen.done is not Action.STAGE:
        return Decision(record, Action.STAGE, status_of(attempt))
    if attempt.restart:
        return _enter(attempt, Phase.STOPPING, Action.STOP, record)
    return _enter(attempt, Phase.INSTALLING, Action.INSTALL, record)


def _stopping(attempt: Attempt, seen: Seen, record: Record) -> Decision:
    if seen.live.at_rest:
        attempt = attempt._replace(before=seen.instance)  # systemd remembers the last process of a unit at rest
        return _enter(attempt, Phase.CLEARING, Action.WAIT if not seen.clear else None, record, seen)
    if (reason := seen.error or _too_late(seen, Action.WAIT)) is not None:
        return fail(attempt, seen, record, reason)
    return Decision(record, Action.WAIT if seen.done is Action.STOP else Action.STOP, status_of(attempt))


def _clearing(attempt: Attempt, seen: Seen, record: Record) -> Decision:
    if not seen.live.at_rest:
        return _enter(attempt, Phase.STOPPING, Action.STOP, record)
    if seen.clear:
        return _enter(attempt, Phase.INSTALLING, None, record, seen)
    if (reason := _too_late(seen, Action.WAIT)) is not None:
        return fail(attempt, seen, record, reason)
    return Decision(record, Action.WAIT, status_of(attempt))


def _installing(attempt: Attempt, seen: Seen, record: Record) -> Decision:
    if attempt.restart and not seen.live.at_rest:  # a boot, or a person, started what is not replaced yet
        return _enter(attempt, Phase.STOPPING, Action.STOP, record)
    if seen.error is not None:
        return fail(attempt, seen, record, seen.error)
    if seen.installed == attempt.goal and seen.exact and seen.foreign is None:
        return _enter(attempt, Phase.RELOADING, Action.RELOAD, record)
    return Decision(record, Action.INSTALL if attempt.goal != ABSENT else Action.REMOVE, status_of(attempt))


def _reloading(attempt: Attempt, seen: Seen, record: Record) -> Decision:
    if attempt.restart and not seen.live.at_rest:  # which file it was started from cannot be told
        return _enter(attempt, Phase.STOPPING, Action.STOP, record)
    if seen.error is not None:
        return fail(attempt, seen, record, seen.error)
    if seen.installed != attempt.goal or not seen.exact:  # a torn file would be another unit, an empty one a mask
        return _enter(attempt, Phase.INSTALLING, None, record, seen)
    if seen.done is not Action.RELOAD:
        return Decision(record, Action.RELOAD, status_of(attempt))
    if attempt.goal == ABSENT:
        return _finish(attempt, record)
    if not attempt.restart:
        return _enter(attempt, Phase.GATING, Action.PROBE, record)
    return _enter(attempt, Phase.STARTING, Action.START, record)


def _starting(attempt: Attempt, seen: Seen, record: Record) -> Decision:
    if seen.error is not None:
        return fail(attempt, seen, record, seen.error)
    if seen.live in {Live.FAILED, Live.RESTARTING}:
        return fail(attempt, seen, record, _DIED[seen.live])
    is_new = seen.instance not in {"", attempt.before}
    if seen.live is Live.STOPPED and is_new:
        return fail(attempt, seen, record, _DIED[seen.live])
    if seen.live is Live.RUNNING and is_new:
        started = attempt._replace(instance=seen.instance, restarts=seen.restarts)
        return _enter(started, Phase.GATING, Action.PROBE, record)
    if (reason := _too_late(seen, Action.WAIT)) is not None:
        return fail(attempt, seen, record, reason)
    if seen.live is Live.STOPPED and seen.done is not Action.START:
        return Decision(record, Action.START, status_of(attempt))
    return Decision(record, Action.WAIT, status_of(attempt))


def _gating(attempt: Attempt, seen: Seen, record: Record) -> Decision:
    if (reason := _lost(attempt, seen)) is not None:
        return fail(attempt, seen, record, reason)
    if seen.gate.passed is False:
        return fail(attempt, seen, record, seen.gate.reason or _UNSAID)
    if seen.gate.passed:
        return _enter(attempt, Phase.BAKING, Action.WAIT, record)
    if (reason := _too_late(seen, Action.PROBE)) is not None:
        return fail(attempt, seen, record, reason)
    action = Action.WAIT if seen.done is Action.PROBE else Action.PROBE
    return Decision(record, action, status_of(attempt, seen.gate.reason))


def _baking(attempt: Attempt, seen: Seen, record: Record) -> Decision:
    if (reason := _lost(attempt, seen)) is not None:
        return fail(attempt, seen, record, reason)
    if seen.gate.passed is False:
        return fail(attempt, seen, record, seen.gate.reason or _UNSAID)
    if not seen.baked:
        return Decision(record, Action.WAIT, status_of(attempt))
    if not seen.gate.passed:  # the last word is a generation, not the absence of bad news
        if (reason := _too_late(seen, Action.PROBE)) is not None:
            return fail(attempt, seen, record, reason)
        return Decision(record, Action.WAIT if seen.done is Action.PROBE else Action.PROBE, status_of(attempt))
    return _finish(attempt, record)


def _too_late(seen: Seen, looked: Action) -> Reason | None:
    """The budget is over, and a look of this very pass says that what is waited for is not there.

    The agent itself may have been away for longer than any budget: that is no failure of the service.
    """
    return seen.overdue if seen.done is looked else None


def _lost(attempt: Attempt, seen: Seen) -> Reason | None:
    """Why the process is not the one that was started any more."""
    if seen.live in _DIED:
        return _DIED[seen.live]
    if seen.live is Live.RUNNING and seen.instance != attempt.instance:
        return Reason("restarted", "its process was replaced by another while it was watched")
    if seen.restarts > attempt.restarts:
        return Reason("restarted", f"systemd had to start it {seen.restarts - attempt.restarts} times more")
    if seen.foreign is not None:
        return seen.foreign
    if seen.installed != attempt.goal:
        return Reason("drift", "its unit file changed while it was watched")
    return None


def _finish(attempt: Attempt, record: Record) -> Decision:
    """The attempt's goal is real. Only here does a unit become verified."""
    previous = record.previous if attempt.goal == record.verified else record.verified
    done = record._replace(
        verified=attempt.goal,
        previous=previous,
        attempt=None,
        broken=None,
        quarantine=record.without(attempt.goal),
    )
    if attempt.back:
        done = done._replace(previous=record.previous)
        return Decision(done, Action.WAIT, Status(Word.ROLLED_BACK, attempt.why))
    return Decision(done, Action.WAIT, Status(Word.STEADY))


def _enter(attempt: Attempt, phase: Phase, action: Action | None, record: Record, seen: Seen | None = None) -> Decision:
    """The next phase with its action; without one, what that phase does with the same look."""
    entered = attempt._replace(phase=phase)
    record = record._replace(attempt=entered)
    if action is None and seen is not None:
        return go_on(entered, seen._replace(done=None, error=None), record)
    return Decision(record, action, status_of(entered))


_UNSAID: Final = Reason("unknown", "no reason was given")
_DIED: Final = {
    Live.FAILED: Reason("failed", "the process ended, and systemd gave up"),
    Live.RESTARTING: Reason("crash-loop", "the process died, and systemd wanted to start it again"),
    Live.STOPPED: Reason("exited", "the process ended by itself"),
    Live.STOPPING: Reason("stopped", "somebody stopped it"),
}
_STEPS: Final[dict[Phase, Callable[[Attempt, Seen, Record], Decision]]] = {
    Phase.STAGING: _staging,
    Phase.STOPPING: _stopping,
    Phase.CLEARING: _clearing,
    Phase.INSTALLING: _installing,
    Phase.RELOADING: _reloading,
    Phase.STARTING: _starting,
    Phase.GATING: _gating,
    Phase.BAKING: _baking,
}
