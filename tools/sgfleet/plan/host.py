"""One host before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sgfleet.plan.budgets import foreseen, host_ram
from sgfleet.plan.identity import compare
from sgfleet.plan.records import HostChange
from sgfleet.plan.service import service_change

if TYPE_CHECKING:
    from sgfleet.memory.of_host import HostMemory
    from sgfleet.plan.records import HostRam
    from sgfleet.plan.side import Side


def host_change(name: str, before: Side, after: Side) -> HostChange:
    """All services of either side, by name."""
    names = before.names | after.names
    if before.spec is None or before.unread:
        names |= frozenset(before.committed)
    if after.unread:
        names |= frozenset(after.committed)
    then = foreseen(before, after)
    said = after.findings_with(then)
    compared = compare(before.findings, after.findings)
    presence: Literal["both", "added", "removed"] = "both"
    if before.spec is None or after.spec is None:
        presence = "added" if before.spec is None else "removed"
    return HostChange(
        name=name,
        presence=presence,
        services=tuple(service_change(name, service, before, after, then, said) for service in sorted(names)),
        ram_before=None if before.memory is None else _ram(before, before.memory()),
        ram_after=_ram(after, then),
        new=compared.new,
        gone=compared.gone,
        kept=compared.kept,
        notes=tuple(_notes(before, after)),
        crashes=(*before.checked.crashes, *after.checked.crashes),
    )


def _ram(side: Side, memory: HostMemory | None) -> HostRam | None:
    if memory is None or side.spec is None or not (side.spec.services or side.spec.unresolved):
        return None
    return host_ram(memory, side.spec.unresolved)


def _notes(before: Side, after: Side) -> list[str]:
    notes = []
    for side, when in ((before, "before"), (after, "after")):
        if side.unread:
            notes.append(f"which services it has {when} cannot be read")
        elif side.spec is not None and side.spec.unresolved:
            notes.append(f"cannot be read {when}: {', '.join(sorted(side.spec.unresolved))}")
    return notes
