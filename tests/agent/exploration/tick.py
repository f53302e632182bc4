"""One pass of the agent over a world: the loop of the real one, its side effects on the world instead of a host."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agent.exploration.world import BARRED, DIES, EXITS, GOOD, HALF, HEALTHY, RELOADED, SLOW, World, process_of
from sgfleet.agent.planner import Input
from sgfleet.agent.reason import Reason
from sgfleet.agent.record import ABSENT, Phase
from sgfleet.agent.seen import Action, Gate, Live, Permit, Seen, Wanted

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgfleet.agent.decision import Decision
    from sgfleet.agent.record import Record

LATE = Reason("late", "its budget is over")
WAITS = 3
"""Looks that a pass takes while it waits: enough for a stop, a start and a first answer."""


class Step(NamedTuple):
    """What was decided: `before` is the world that was looked at, `after` the one with the record written, and `done`
    the one with the action's effect. A kill may leave any of them."""

    before: World
    seen: Seen
    decision: Decision
    after: World
    done: World


def tick(world: World, decide: Callable[[Input, Record], Decision], *, late: bool = False) -> list[Step]:
    """A whole pass. `late`: whatever is waited for has used up its budget, and every bake has lasted long enough."""
    steps: list[Step] = []
    done: Action | None = None
    gate, admission = Gate(), None
    waits = WAITS
    while True:
        seen = _look(world, done, gate, admission, late=late)
        permit = Permit("frozen", Reason("frozen", "frozen")) if world.frozen else Permit()
        decision = decide(Input(Wanted(world.wanted), seen, permit), world.record)
        attempt = decision.record.attempt
        renewed = attempt is None or world.record.attempt is None or attempt.goal != world.record.attempt.goal
        after = world._replace(record=decision.record, starts=0 if renewed else world.starts)
        action = decision.action
        then = after if action is None else _do(after, action)
        steps.append(Step(world, seen, decision, after, then))
        waits -= action is Action.WAIT
        if action is None or waits < 0 or len(steps) > 80:
            return steps
        gate = _probed(then) if action is Action.PROBE else Gate()
        if action is Action.ADMIT:
            admission = Reason("barred", "the host does not take it") if world.wanted == BARRED else True
        done, world = action, then


def _look(world: World, done: Action | None, gate: Gate, admission: Reason | bool | None, *, late: bool) -> Seen:
    attempt = world.record.attempt
    return Seen(
        installed=world.file,
        live=world.live,
        instance=str(world.instance) if world.instance else "",
        restarts=world.restarts,
        boot=str(world.boot),
        reload_only=attempt is None and process_of(world.file) == process_of(world.wanted),
        clear=not world.left,
        overdue=LATE if late else None,
        gate=gate,
        baked=late and world.process != DIES,  # that one never lasts as long as a bake
        admission=admission,
        done=done,
    )


def _do(world: World, action: Action) -> World:
    goal = world.record.attempt.goal if world.record.attempt else world.wanted
    match action:
        case Action.STOP if not world.live.at_rest:
            return world._replace(live=Live.STOPPING)
        case Action.INSTALL:
            return world._replace(file=goal)
        case Action.REMOVE:
            return world._replace(file=ABSENT)
        case Action.RELOAD if world.live is Live.FAILED:
            return world._replace(live=Live.STOPPED)
        case Action.START if world.live.at_rest:
            return start(world)._replace(starts=world.starts + 1)
        case Action.WAIT:
            return pass_time(world)
    return world


def start(world: World) -> World:
    """What systemd does with the file that is installed: at a boot, or because the agent says so."""
    if world.file == ABSENT:
        return world
    killed = world.killed and world.record.broken is not None  # then that is why, and it stays so until it is asked for
    fresh = world._replace(process=world.file, instance=world.instance + 1, restarts=0, killed=killed)
    return fresh._replace(live=Live.RESTARTING if world.file == EXITS else Live.RUNNING)


def pass_time(world: World) -> World:
    """A moment later."""
    if world.live is Live.STOPPING:
        return world._replace(live=Live.STOPPED, process=ABSENT, left=False)
    baking = world.record.attempt is not None and world.record.attempt.phase is Phase.BAKING
    if world.live is Live.RUNNING and world.process == DIES and baking:
        return world._replace(live=Live.RESTARTING)
    return world


def _probed(world: World) -> Gate:
    if world.live is not Live.RUNNING or world.process == SLOW:
        return Gate(None, Reason("loading", "no answer yet"))
    if world.process == HALF:
        return Gate(False, Reason("kv-tokens", "half of what was promised"))
    return Gate(world.process in HEALTHY or world.process in {DIES, BARRED, GOOD, RELOADED})
