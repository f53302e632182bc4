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
    from collections.abc import Callable, Iterable, Iterator

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
    search = _Search(decide, units)
    layer = [World()]
    while search.depth < depth:
        layer = search.step(layer)
        if search.broken:
            break
    return Explored(len(search.trail), search.passes, search.depth, list(search.broken.values()))


class _Search:
    """`trail`: every host that was reached -> the one before it, and the event between them."""

    def __init__(self, decide: Callable[[Input, Record], Decision], units: tuple[str, ...]) -> None:
        self.trail: dict[World, tuple[World, str] | None] = {World(): None}
        self.passes = 0
        self.depth = 0
        self.broken: dict[str, Broken] = {}
        self._decide = decide
        self._units = units

    def step(self, layer: list[World]) -> list[World]:
        """The hosts that one more event leads to for the first time, each held against the promises."""
        self.depth += 1
        reached: list[World] = []
        for world in layer:
            for event, then in [*_events(world, self._units), *self._kills(world)]:
                if then not in self.trail:
                    self.trail[then] = (world, event)
                    reached.append(then)
        for world in reached:
            rest, played = _rest(world, self._decide)
            self.passes += played
            self._tell(broken_at_rest(rest), world, "fair passes", rest)
        return reached

    def _kills(self, world: World) -> Iterator[tuple[str, World]]:
        """What a pass leaves that is killed before or after any of its side effects, or not at all."""
        for late in (False, True):
            self.passes += 1
            for number, step in enumerate(tick(world, self._decide, late=late)):
                self._tell(broken_by(step), world, "pass", step.before)
                for left in (step.after, step.done):
                    yield f"pass{' (late)' if late else ''}, killed at step {number}", left.canonical()

    def _tell(self, promises: Iterable[str], world: World, last: str, found: World) -> None:
        for promise in promises:
            self.broken.setdefault(promise, Broken(promise, _events_to(world, self.trail, last), found))


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
