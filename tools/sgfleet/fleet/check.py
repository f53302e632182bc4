"""Host after host of a selection, checked; many hosts on several processors. Nothing of a host is kept."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Final

from sgfleet.fleet.memories import Memories
from sgfleet.fleet.obstacles import obstacles
from sgfleet.fleet.spread import spread
from sgfleet.rules.host_check import Checked, check_files, check_fleet, check_host
from sgfleet.rules.registry import checks
from sgfleet.rules.runner import crash
from sgfleet.rules.shared import Shared
from sgfleet.rules.weighing import misfits
from sgfleet.source.problems import SourceError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from sgfleet.findings import Finding
    from sgfleet.fleet.selection import Selection
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.spec.host_spec import HostSpec

NO_SCHEMA: Final = "SRV001"


class FleetCheck:
    """Iterates over what was checked: files of no host first, then each host, then the fleet as a whole."""

    def __init__(self, workspace: Workspace, selection: Selection, *, units: bool = False) -> None:
        self._workspace = workspace
        self._memories = Memories(workspace)
        self._units = units
        self._selection = selection
        self._today = datetime.datetime.now(datetime.UTC).date()
        self._early: dict[str, Checked] = {}
        self._shared = Shared()

    def partial(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Check the hosts of which only some services are meant, before anything is printed: host and all its services,
        so that the caller can refuse names that the host does not have.
        """
        for host, services in self._selection.hosts.items():
            if services is not None:
                checked = self.host(host)
                if not checked.unread:
                    yield host, checked.services
                checked.findings = [each for each in checked.findings if each.service in {None, *services}]
                checked.services = tuple(services)
                self._early[host] = checked

    def host(self, name: str) -> Checked:
        """Read and check one host. A bug of ours that it brings out does not stop the others."""
        repository = self._workspace.repository
        try:
            spec = repository.host(name)
            if self._units:
                from sgfleet.fleet.units import host_units, unit_findings

                spec.findings += unit_findings(spec, host_units(self._workspace, spec))
            else:
                spec.findings += obstacles(self._workspace, spec)
            memory = self._memories.of(spec)
            checked = check_host(spec, repository.fleet, self._workspace.release, self._today, memory, self._shared)
        except Exception as error:  # told as what it is: nothing was checked here, exit 4
            return Checked(name, crashes=[crash(None, name, error)])
        if self._workspace.damaged_releases:
            checked.findings = [each for each in checked.findings if not self._is_damage(spec, each)]
        return checked

    def _is_damage(self, spec: HostSpec, finding: Finding) -> bool:
        """Whether a service has no flag schema because of damage that is told where it is."""
        name = finding.service or ""
        service = spec.services.get(name) or spec.partial.get(name)
        damaged = service is not None and service.service.release in self._workspace.damaged_releases
        return damaged and finding.code == NO_SCHEMA

    def __iter__(self) -> Generator[Checked, None, None]:
        """Everything that is meant."""
        repository, whole = self._workspace.repository, self._selection.everything
        fleet = repository.fleet
        yield check_files(
            fleet,
            [
                *(repository.findings if whole else fleet.findings),
                *misfits(fleet.policy.severity, fleet.locate),
            ],
        )
        services = {}
        for checked in self._hosts():
            services[str(checked.host)] = checked.services
            yield checked
        self._workspace.look_at_models(thorough=whole)
        if whole:
            self._workspace.look_at_tables()
        yield check_files(fleet, {each.message: each for each in self._workspace.damaged}.values())
        if whole:
            yield check_files(fleet, self._drift())
            if self._units:
                from sgfleet.fleet.units import strays

                yield check_files(fleet, strays(self._workspace))
            yield check_fleet(fleet, services)

    def _drift(self) -> Sequence[Finding]:
        """What is wrong with the schemas for editors."""
        from sgfleet.spec.export import schema_drift

        try:
            return schema_drift(self._workspace.repository.tree)
        except SourceError as error:  # schema/ itself is a link, or cannot be listed
            return error.findings

    def _hosts(self) -> Iterator[Checked]:
        yield from self._early.values()
        # What every process needs is there before they part: forked, they share it.
        checks()
        _ = self._workspace.repository.fleet
        for checked, damaged in spread(
            [name for name in self._selection.hosts if name not in self._early], self._chunk
        ):
            self._workspace.damaged += [each for each in damaged if each not in self._workspace.damaged]
            yield from checked

    def _chunk(self, names: Sequence[str]) -> tuple[list[Checked], list[Finding]]:
        return [self.host(name) for name in names], self._take_damaged()

    def _take_damaged(self) -> list[Finding]:
        """Findings about flag schemas since the last call."""
        taken, self._workspace.damaged = self._workspace.damaged, []
        return taken
