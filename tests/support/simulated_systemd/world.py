"""Everything that a simulated host is, as one value: frozen, hashable, copied by keeping it."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sgfleet.systemd.port import FileKind, UnitFile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from support.simulated_systemd.script import Script


class Fault(enum.Enum):
    """What is wrong with the host for as long as it is in `World.faults`."""

    NO_SPACE = "no space"
    READ_ONLY = "read-only"
    DOWN = "down"
    """No manager answers; files can be written."""
    LOST_ANSWER = "lost answer"
    """What is asked of the manager is done, and then reported as timed out."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What the manager has in memory of a unit."""

    content: bytes | None
    """The text that is loaded; None where there is no file, or one that is no unit."""
    load_state: str
    script: Script | None = None
    drop_ins: tuple[str, ...] = ()
    active: str = "inactive"
    sub: str = "dead"
    result: str = "success"
    restarts: int = 0
    flush_restarts: bool = False
    """The next start by hand sets `restarts` to 0."""
    main_pid: int = 0
    code: int = 0
    status: int = 0
    invocation: int = 0
    job: int = 0
    job_kind: str = ""
    """start or stop."""
    due: int | None = None
    """When the next thing happens to it by itself."""
    starts: tuple[int, ...] = ()
    """When it was started, as far as the start limit counts them."""
    running: Script | None = None
    """What the main process does: what was loaded when it was started."""
    changed: int = 0
    entered: int = 0

    @property
    def at_rest(self) -> bool:
        """Nothing runs or will."""
        return self.active in {"inactive", "failed"} and not self.job


@dataclass(frozen=True, slots=True)
class World:
    """A host. Mappings are sorted tuples of pairs, so that equal hosts are equal values."""

    files: tuple[tuple[str, UnitFile], ...] = ()
    staged: frozenset[tuple[str, bytes]] = frozenset()
    """Name and content; a torn one, of a killed run, has the content that it came to."""
    drop_ins: tuple[tuple[str, str], ...] = ()
    """Unit and path."""
    links: frozenset[str] = frozenset()
    """Units that are enabled."""
    wanted: frozenset[str] = frozenset()
    """Those of them that the manager has known since its last reload: it keeps them in memory."""
    units: tuple[tuple[str, Unit], ...] = ()
    processes: tuple[tuple[int, str], ...] = ()
    """Process and unit."""
    journal: tuple[tuple[int, str], ...] = ()
    """Invocation and line."""
    faults: frozenset[Fault] = frozenset()
    clock: int = 0
    """Milliseconds since boot."""
    issued: int = 0
    """The last number given to a process, a job or a run."""
    boots: int = 1

    def file(self, name: str) -> UnitFile:
        """What stands at the unit's path."""
        return dict(self.files).get(name, _ABSENT)

    def with_file(self, name: str, file: UnitFile) -> World:
        """The same with another file there."""
        files = {**dict(self.files), name: file}
        return replace(self, files=_pairs({key: each for key, each in files.items() if each.kind is not _ABSENT.kind}))

    def with_unit(self, name: str, unit: Unit | None) -> World:
        """The same with that in the manager's memory."""
        units = {key: each for key, each in self.units if key != name}
        return replace(self, units=_pairs(units if unit is None else {**units, name: unit}))

    def processes_of(self, name: str) -> tuple[int, ...]:
        """The ids of the unit's processes."""
        return tuple(pid for pid, owner in self.processes if owner == name)

    def canonical(self) -> tuple[World, dict[int, int]]:
        """The same host with its numbers counted from 1 and its clock at 0, and what each number became.

        Two hosts that will do the same from here on are then equal, whatever they have been through: an exploration
        compares these, and gives its own memory of numbers (`invocation_id`) the same names.
        """
        used = sorted(
            {number for _, unit in self.units for number in (unit.main_pid, unit.invocation, unit.job)}
            | {pid for pid, _ in self.processes}
            | {invocation for invocation, _ in self.journal}
        )
        names = {number: new for new, number in enumerate((each for each in used if each), start=1)} | {0: 0}
        units = tuple(
            (
                name,
                replace(
                    unit,
                    main_pid=names[unit.main_pid],
                    invocation=names[unit.invocation],
                    job=names[unit.job],
                    due=None if unit.due is None else unit.due - self.clock,
                    starts=tuple(
                        when - self.clock
                        for when in unit.starts
                        if unit.script and self.clock - when < unit.script.interval
                    ),
                    changed=0,
                    entered=0,
                ),
            )
            for name, unit in self.units
        )
        world = replace(
            self,
            units=units,
            processes=tuple((names[pid], name) for pid, name in self.processes),
            journal=tuple((names[invocation], line) for invocation, line in self.journal),
            clock=0,
            issued=len(names) - 1,
            boots=1,
        )
        return world, names


_ABSENT = UnitFile(FileKind.ABSENT)


def _pairs(mapping: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(mapping.items(), key=lambda pair: pair[0]))
