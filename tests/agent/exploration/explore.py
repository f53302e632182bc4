"""Breadth first through all worlds that a sequence of events can lead to; a kill may come between any two steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agent.exploration.invariants import broken_at_rest, broken_by
from agent.exploration.tick import start, tick
from agent.exploration.world import UNITS, World
from sgfleet.agent.planner import Input, decide
from sgfleet.agent.record import Record
from sgfleet.agent.requests import retry
from sgfleet.agent.seen import Live

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sgfleet.agent.decision import Decision

FAIR_PASSES = 12


class Broken(NamedTuple):
    """A promise, and the events that lead to a host that does not keep it."""

    promise: str
    events: tuple[str, ...]
    world: World


class Explored(NamedTuple):
    """`states`: distinct hosts. `depth`: events in a row. `passes`: passes of the agent that were played."""

    states: int
    passes: int
    depth: int
    broken: list[Broken]


def explore(
    depth: int, decide: Callable[[Input, Record], Decision] = decide, units: tuple[str, ...] = UNITS
) -> Explored:
    """All sequences of up to `depth` events from an empty host, until the first depth at which a promise is broken."""
    trail: dict[World, tuple[World, str] | None] = {World(): None}
    layer, passes = [World()], 0
    broken: dict[str, Broken] = {}
    for level in range(1, depth + 1):
        following: list[World] = []
        for world in layer:
            for event, then in _events(world, units):
                if then not in trail:
                    trail[then] = (world, event)
                    following.append(then)
            for late in (False, True):
                passes += 1
                for step in (steps := tick(world, decide, late=late)):
                    for promise in broken_by(step):
                        broken.setdefault(promise, Broken(promise, _events_to(world, trail, "pass"), step.before))
                    for left in (step.after, step.done):
                        killed = left.canonical()
                        if killed not in trail:
                            trail[killed] = (world, f"pass{' (late)' if late else ''}, killed after {len(steps)} steps")
                            following.append(killed)
        for world in following:
            rest, played = _rest(world, decide)
            passes += played
            for promise in broken_at_rest(rest):
                broken.setdefault(promise, Broken(promise, _events_to(world, trail, "fair passes"), rest))
        if broken:
            return Explored(len(trail), passes, level, list(broken.values()))
        layer = following
    return Explored(len(trail), passes, depth, [])


def _events(world: World, units: tuple[str, ...]) -> Iterator[tuple[str, World]]:
    """What may happen between two passes."""
    for unit in units:
        if unit != world.wanted:
            yield f"main asks for {unit or 'nothing'}", world._replace(wanted=unit)
    yield "unfreeze" if world.frozen else "freeze", world._replace(frozen=not world.frozen)
    yield "retry", world._replace(record=retry(world.record))
    off = world._replace(boot=world.boot + 1, live=Live.STOPPED, process="", instance=0, left=False, starts=0)
    yield "reboot", start(off).canonical()
    yield "state lost", world._replace(record=Record(), lost=True).canonical()
    if world.live is Live.RUNNING:
        yield "its process dies", world._replace(live=Live.RESTARTING, killed=True)
        yield "somebody stops it", world._replace(live=Live.STOPPED, process="", killed=True)


def _rest(world: World, decide: Callable[[Input, Record], Decision]) -> tuple[World, int]:
    """The host after passes that nothing interrupts; budgets run out only where nothing else happens."""
    for played in range(FAIR_PASSES):
        last = tick(world, decide, late=False)[-1]
        if last.decision.action is not None:
            last = tick(last.done, decide, late=True)[-1]
        if last.done == world:
            return world, played + 1
        world = last.done
    return world, FAIR_PASSES


def _events_to(world: World, trail: dict[World, tuple[World, str] | None], last: str) -> tuple[str, ...]:
    events = [last]
    while (came := trail[world]) is not None:
        world, event = came
        events.append(event)
    return tuple(reversed(events))


def main(depth: int) -> int:
    """Print what was tried and what came of it; 1 where a promise is broken."""
    import time

    began = time.monotonic()
    found = explore(depth)
    print(
        f"{found.states:,} distinct hosts, sequences of {found.depth} events, {found.passes:,} passes of the agent, "
        f"{time.monotonic() - began:.0f} s: {len(found.broken)} promises broken"
    )
    for each in found.broken:
        print(f"- {each.promise}\n    {' → '.join(each.events)}\n    {each.world}")
    return 1 if found.broken else 0


if __name__ == "__main__":
    import sys

    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
