"""The promises, as conditions on a step, and on where a host comes to rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.exploration.world import HEALTHY, World, process_of
from sgfleet.agent.record import ABSENT
from sgfleet.agent.seen import Action, Live

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent.exploration.tick import Step

TOUCHES = {Action.STOP, Action.INSTALL, Action.REMOVE, Action.RELOAD, Action.START}


def broken_by(step: Step) -> Iterator[str]:
    """The promises that one step does not keep."""
    before, after, action, seen = step.before, step.after, step.decision.action, step.seen
    was, now = before.record, after.record
    if action is Action.START and step.done != after:
        if now.attempt is None:
            yield "a start without an attempt in the journal"
        elif now.failure(now.attempt.goal) is not None:
            yield "a second try of a unit in quarantine"
        elif step.done.starts > 1:
            yield "the same attempt started its unit twice in one boot"
    if now.verified not in {was.verified, ABSENT}:
        yield from _wrongly_verified(step)
    if action in TOUCHES and now.attempt is None:
        yield "the host is touched without an attempt in the journal"
    if _begins(step) and before.frozen:
        yield "something new began while frozen"
    if _begins(step) and now.attempt is not None and now.attempt.goal != ABSENT and seen.admission is not True:
        yield "the running service is at stake before the checks said yes"
    if _is_steady(before) and action in TOUCHES:
        yield "a needless change: what is wanted is verified, installed and runs"


def _wrongly_verified(step: Step) -> Iterator[str]:
    before, unit = step.before, step.after.record.verified
    if not step.seen.gate.passed:
        yield "verified without a passed gate in the same look"
    elif before.live is not Live.RUNNING or process_of(before.process) != process_of(unit):
        yield "verified while something else runs"
    elif before.file != unit:
        yield "verified while something else is installed"


def broken_at_rest(world: World) -> Iterator[str]:
    """The promises that a host does not keep which has come to rest: fair passes change nothing any more."""
    record = world.record
    if record.attempt is not None:
        yield "an attempt that never ends"
        return
    if world.frozen:
        return
    runs = world.live is Live.RUNNING
    if runs and process_of(world.process) != process_of(world.file):
        yield "what runs is not what is installed"
    if record.broken is not None or world.killed:
        if not world.lost and not world.killed:
            yield f"broken, though what was verified is healthy: {record.broken}"
        return
    if record.failure(world.wanted) is None and world.wanted in HEALTHY | {ABSENT}:
        if record.verified != world.wanted or world.file != world.wanted:
            yield "main asks for a healthy unit, and the host does not come to it"
        if runs != (world.wanted != ABSENT):
            yield "what main asks for does not run"
    elif record.verified != ABSENT and not (runs and world.file == record.verified):
        yield "a unit failed, and the host is not on the last verified one"
    elif record.verified == ABSENT and not world.lost and (runs or world.file != ABSENT):
        yield "a unit failed with nothing before it, and something of it is left"


def _begins(step: Step) -> bool:
    """A new attempt that goes forward."""
    was, now = step.before.record.attempt, step.after.record.attempt
    return now is not None and not now.back and not now.adopt and (was is None or was.goal != now.goal or was.back)


def _is_steady(world: World) -> bool:
    record = world.record
    return (
        record.attempt is None
        and not record.again
        and record.broken is None
        and world.wanted == record.verified == world.file
        and world.live is Live.RUNNING
    )
