"""A host in one value: what is on disk, what runs, what the agent remembers. Small: millions are compared."""

from __future__ import annotations

from typing import NamedTuple

from sgfleet.agent.record import ABSENT, Record
from sgfleet.agent.seen import Live

GOOD, OTHER, HALF, EXITS, SLOW, DIES, BARRED = "good", "other", "half", "exits", "slow", "dies", "barred"
RELOADED = "good+restart-sec"
"""The unit GOOD with another RestartSec=: systemd takes it without a new process."""
UNITS = (GOOD, OTHER, HALF, EXITS, SLOW, DIES, BARRED, RELOADED, ABSENT)
HEALTHY = frozenset({GOOD, OTHER, RELOADED})
"""Units that pass their gate. HALF has half its KV tokens, EXITS dies at once, SLOW never answers, DIES in the bake."""
CRASHES = frozenset({EXITS})


def process_of(unit: str) -> str:
    """What decides the process: two units with the same one need no restart between them."""
    return GOOD if unit == RELOADED else unit


class World(NamedTuple):
    """`file`: the unit installed. `process`: the unit that the running process was started from. `instance`: its
    number, or that of the last one. `left`: something of it still holds memory.

    Not seen by the agent: `starts`, how often the attempt's unit was started since it began, in this boot; `lost`, the
    agent lost its memory once; `killed`, the process died of itself and nobody has started it since.
    """

    wanted: str = ABSENT
    frozen: bool = False
    file: str = ABSENT
    live: Live = Live.STOPPED
    process: str = ABSENT
    instance: int = 0
    restarts: int = 0
    left: bool = False
    boot: int = 1
    record: Record = Record()
    starts: int = 0
    lost: bool = False
    killed: bool = False

    def canonical(self) -> World:
        """The same with the smallest numbers for processes and boots: only which are equal matters."""
        attempt = self.record.attempt
        named = {str(self.instance)} if self.instance else set()
        if attempt is not None:
            named |= {attempt.before, attempt.instance} - {""}
        numbers = {name: str(number) for number, name in enumerate(sorted(named, key=int), 1)}
        world = self._replace(boot=1, instance=int(numbers.get(str(self.instance), "0")))
        if attempt is None:
            return world
        attempt = attempt._replace(
            before=numbers.get(attempt.before, ""),
            instance=numbers.get(attempt.instance, ""),
            boot="1" if attempt.boot == str(self.boot) else "0",
        )
        return world._replace(record=self.record._replace(attempt=attempt))
