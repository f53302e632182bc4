"""Two workspaces and the hosts that can differ between them -> the plan. Nothing is fetched, written or started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.fleet.memories import Memories
from sgfleet.fleet.spread import spread
from sgfleet.plan.host import host_change
from sgfleet.plan.identity import compare
from sgfleet.plan.moves import with_moves
from sgfleet.plan.records import HostChange, Plan, Revision
from sgfleet.plan.side import side_of
from sgfleet.rules.host_check import check_files, check_fleet
from sgfleet.rules.registry import checks
from sgfleet.rules.weighing import misfits
from sgfleet.source.problems import SourceError

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Collection, Sequence

    from sgfleet.findings import Finding
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.plan.scope import Scope


class Planner:
    """Compares two workspaces. `today` decides which waivers have run out. `submodules` are paths of those in the newer
    one, where that is a working tree.
    """

    def __init__(
        self, before: Workspace, after: Workspace, today: datetime.date, submodules: Collection[str] = ()
    ) -> None:
        self.before, self.after, self._today, self._submodules = before, after, today, submodules
        self._memories = Memories(before), Memories(after)

    def host(self, name: str) -> HostChange:
        """One host."""
        return host_change(
            name,
            side_of(self.before, self._memories[0], name, self._today),
            side_of(self.after, self._memories[1], name, self._today, self._submodules),
        )

    def plan(self, scope: Scope, revisions: tuple[Revision, Revision], step: Callable[[], None] = lambda: None) -> Plan:
        """Everything that differs. `step` is called after each host."""
        names = self.names(scope)
        hosts: list[HostChange] = []
        checks()  # what every process needs is there before they part: forked, they share it
        for chunk, *damaged in spread(names, self._chunk):
            hosts += chunk
            for workspace, found in zip((self.before, self.after), damaged, strict=True):
                workspace.damaged += [each for each in found if each not in workspace.damaged]
            for _ in chunk:
                step()
        compared = compare(*(self._files(workspace, scope) for workspace in (self.before, self.after)))
        return Plan(
            *revisions,
            hosts=tuple(with_moves(hosts)),
            causes=scope.causes,
            files=scope.files,
            others=len({*self.before.repository.host_names, *self.after.repository.host_names}.difference(names)),
            new=compared.new,
            gone=compared.gone,
            kept=compared.kept,
        )

    def _chunk(self, names: Sequence[str]) -> tuple[list[HostChange], list[Finding], list[Finding]]:
        """Damaged flag schemas travel with the hosts: they may have been met in another process."""
        hosts = list(map(self.host, names))
        return hosts, list(self.before.damaged), list(self.after.damaged)

    def names(self, scope: Scope) -> Sequence[str]:
        """The hosts that can differ."""
        there = {*self.before.repository.host_names, *self.after.repository.host_names}
        return sorted(there if scope.everything else there & scope.hosts)

    def _files(self, workspace: Workspace, scope: Scope) -> list[Finding]:
        """What is wrong with files that belong to no host, as far as they can differ."""
        from sgfleet.fleet.units import strays

        repository = workspace.repository
        fleet = repository.fleet
        found = [*repository.findings, *misfits(fleet.policy.severity, fleet.locate), *strays(workspace)]
        if scope.formats:
            from sgfleet.spec.export import schema_drift

            try:
                found += schema_drift(workspace.tree)
            except SourceError as error:  # schema/ itself is a link, or cannot be listed
                found += error.findings
        workspace.look_at_models()
        found += {each.message: each for each in workspace.damaged}.values()
        services = dict.fromkeys(repository.host_names, ())
        return [*check_files(fleet, found).findings, *check_fleet(fleet, services).findings]
