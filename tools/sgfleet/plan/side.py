"""One host as one revision has it: its specification, its units, its budgets and what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sgfleet.fleet.units import host_units, unit_findings
from sgfleet.render.committed import committed_units, orphaned
from sgfleet.rules.host_check import Checked, check_host
from sgfleet.rules.runner import crash
from sgfleet.source.git_tree import GitTree
from sgfleet.source.problems import SourceError
from sgfleet.spec.repository import HOSTS

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Collection

    from sgfleet.findings import Finding
    from sgfleet.fleet.memories import Memories
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.memory.of_host import HostMemory
    from sgfleet.spec.host_spec import HostSpec


class Side(NamedTuple):
    """`spec` is None where the revision has no such host. `units`: service -> text that its specification renders to.

    `committed`: service -> text under units/ that we rendered for this host once. `unread` says that the host is there
    and its services are not known, all of them or those in `unresolved`.
    """

    workspace: Workspace
    spec: HostSpec | None
    units: dict[str, str]
    committed: dict[str, str]
    checked: Checked
    memory: Callable[[], HostMemory] | None = None
    today: datetime.date | None = None

    def findings_with(self, memory: HostMemory | None) -> list[Finding]:
        """What is wrong where the budgets are these, which may be others than those of the files."""
        if memory is None or self.spec is None or self.today is None or self.memory is None or memory is self.memory():
            return self.checked.findings
        fleet, release = self.workspace.repository.fleet, self.workspace.release
        return check_host(self.spec, fleet, release, self.today, lambda: memory).findings

    @property
    def names(self) -> frozenset[str]:
        """Services that the specification has, readable or not."""
        return frozenset() if self.spec is None else frozenset((*self.spec.services, *self.spec.unresolved))

    @property
    def unread(self) -> bool:
        """Whether nothing can be said of which services there are."""
        if self.spec is None:
            return False
        return self.spec.document is None or not isinstance(self.spec.document.data.get("services"), dict)

    def cannot_say(self, name: str) -> bool:
        """Whether what this service is cannot be read."""
        return self.spec is not None and name not in self.spec.services and (self.unread or name in self.names)

    @property
    def findings(self) -> list[Finding]:
        """What is wrong and not waived."""
        return [each for each in self.checked.findings if each.waived is None]


def side_of(
    workspace: Workspace, memories: Memories, host: str, today: datetime.date, submodules: Collection[str] = ()
) -> Side:
    """Read, render and check one host. A bug of ours that it brings out is kept in `checked.crashes`.

    `submodules` are the paths of those in a working tree, which may be empty folders there.
    """
    try:
        if not _is_there(workspace, host, submodules):
            return Side(workspace, None, {}, _committed(workspace, host), Checked(host))
        spec = workspace.repository.host(host)
        units = host_units(workspace, spec)
        memory = memories.of(spec)
        spec.findings += unit_findings(spec, units)
        checked = check_host(spec, workspace.repository.fleet, workspace.release, today, memory)
        rendered = units.rendered.units
        ours = {
            name: text for name, text in units.committed.items() if text == rendered.get(name) or orphaned(text, host)
        }
        return Side(workspace, spec, rendered, ours, checked, memory, today)
    except Exception as error:  # told as what it is: nothing is known of this host, exit 4
        return Side(workspace, None, {}, {}, Checked(host, crashes=[crash(None, host, error)]))


def _is_there(workspace: Workspace, host: str, submodules: Collection[str]) -> bool:
    """Whether the revision has the host's folder. An empty one is a submodule, or nothing that Git knows of."""
    if host not in workspace.repository.host_names:
        return False
    if isinstance(workspace.tree, GitTree) or f"{HOSTS}/{host}" in submodules:
        return True  # what is wrong with it is said where it is read
    try:
        return bool(workspace.tree.entries(f"{HOSTS}/{host}"))
    except SourceError:
        return True  # reading it says what is wrong


def _committed(workspace: Workspace, host: str) -> dict[str, str]:
    """The units that a host without a specification left."""
    units = committed_units(workspace.tree, host, []) or {}
    return {name: text for name, text in units.items() if orphaned(text, host)}
