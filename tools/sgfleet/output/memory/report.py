"""What `sgfleet memory` has to say about one host, before and after a change, ready for any form of output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sgfleet.memory.units import gib_within

if TYPE_CHECKING:
    from sgfleet.memory.lines import Line
    from sgfleet.memory.verdict import Statement


@dataclass(frozen=True, slots=True)
class Row:
    """One part of a budget; `after` is None without a change, `before` where the part is new."""

    name: str
    before: Line | None
    after: Line | None = None

    @property
    def shown(self) -> Line:
        """The line that words are taken from: the newer one."""
        line = self.after or self.before
        if line is None:
            raise ValueError(self.name)
        return line

    @property
    def changed(self) -> bool:
        """Whether the change moves this part."""
        return (self.before.bytes if self.before else None) != (self.after.bytes if self.after else None)


@dataclass(frozen=True, slots=True)
class ServiceReport:
    """One service. `headline` says what runs; `figures` are (name, before, after) beside the tables.

    `unknown` says why there is no budget, with what would help. `unjudged` are parts of one that are not counted and
    may decide.
    """

    name: str
    headline: str
    gpu: tuple[Row, ...] = ()
    host: tuple[Row, ...] = ()
    figures: tuple[tuple[str, str, str | None], ...] = ()
    statements: tuple[Statement, ...] = ()
    notes: tuple[str, ...] = ()
    unknown: str | None = None
    help: str | None = None
    unjudged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HostReport:
    """One host. `ram` are rows of the whole host: available, pinned, left, reserve."""

    host: str
    headline: str
    changed: bool = False
    services: tuple[ServiceReport, ...] = ()
    ram: tuple[Row, ...] = ()
    statements: tuple[Statement, ...] = ()
    notes: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()

    @property
    def is_bad(self) -> bool:
        """Something does not fit, or may not."""
        said = [*self.statements, *(each for service in self.services for each in service.statements)]
        return any(each.weight != "note" for each in said)

    @property
    def is_judged(self) -> bool:
        """Whether nothing is left open that may decide."""
        return not self.unjudged and all(each.unknown is None and not each.unjudged for each in self.services)


def words_of(line: Line) -> str:
    """A line's arithmetic and where its figure comes from."""
    words = [line.detail] if line.detail else []
    if line.origin == "estimated":
        if line.error_bytes > line.bytes >= 0:
            words.append(f"estimated: {gib_within(line.bytes, line.error_bytes).removesuffix(' GiB')}")
        else:
            words.append(f"estimated ± {line.error_bytes / 2**30:,.2f}" if line.error_bytes else "estimated")
    elif line.origin == "measured" and line.name != "card":
        words.append("measured")
    return "; ".join(words)


def rows(before: list[Line] | None, after: list[Line] | None) -> tuple[Row, ...]:
    """Two tables side by side, by name, in the order of the newer one."""
    old = {line.name: line for line in before or ()}
    if after is None:
        return tuple(Row(name, line) for name, line in old.items())
    new = {line.name: line for line in after}
    gone = [Row(name, line, None) for name, line in old.items() if name not in new]
    kept = [Row(name, old.get(name), line) for name, line in new.items()]
    return (*kept[:-1], *gone, *kept[-1:])
