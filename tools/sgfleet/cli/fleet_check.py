"""Host after host of a selection, checked; many hosts on several processors. Nothing of a host is kept."""

from __future__ import annotations

import datetime
import os
import signal
import sys
from typing import TYPE_CHECKING, Final

from sgfleet.cli.targets import check_services
from sgfleet.rules.host_check import Checked, check_files, check_fleet, check_host
from sgfleet.rules.registry import checks
from sgfleet.rules.runner import crash
from sgfleet.rules.weighing import misfits
from sgfleet.source.problems import SourceError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from sgfleet.cli.targets import Selection
    from sgfleet.cli.workspace import Workspace
    from sgfleet.findings import Finding

MANY: Final = 300
"""Hosts from which a second process is worth its start."""

_CHUNK: Final = 50
"""Hosts that a process takes at once."""


class FleetCheck:
    """Iterates over what was checked: files of no host first, then each host, then the fleet as a whole."""

    def __init__(self, workspace: Workspace, selection: Selection) -> None:
        self._workspace = workspace
        self._selection = selection
        self._today = datetime.datetime.now(datetime.UTC).date()
        self._early: dict[str, Checked] = {}

    def look_up_services(self) -> None:
        """Check the hosts of which only some services are meant, before anything is printed.

        Raises:
            UsageError: a host does not have a service that was named.
        """
        for host, services in self._selection.hosts.items():
            if services is not None:
                checked = self.host(host)
                check_services(self._selection, host, checked.services)
                checked.findings = [each for each in checked.findings if each.service in {None, *services}]
                checked.services = tuple(services)
                self._early[host] = checked

    def host(self, name: str) -> Checked:
        """Read and check one host. A bug of ours that it brings out does not stop the others."""
        repository = self._workspace.repository
        try:
            return check_host(repository.host(name), repository.fleet, self._workspace.release, self._today)
        except Exception as error:  # told as what it is: nothing was checked here, exit 4
            return Checked(name, crashes=[crash(None, name, error)])

    def take_damaged(self) -> list[Finding]:
        """Findings about flag schemas since the last call."""
        taken, self._workspace.damaged = self._workspace.damaged, []
        return taken

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
        yield check_files(fleet, {each.message: each for each in self._workspace.damaged}.values())
        if whole:
            yield check_files(fleet, self._drift())
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
        names = [name for name in self._selection.hosts if name not in self._early]
        processes = min(os.cpu_count() or 1, len(names) // MANY + 1)
        if processes > 1 and sys.platform == "linux":
            yield from self._spread(names, processes)
        else:
            yield from map(self.host, names)

    def _spread(self, names: Sequence[str], processes: int) -> Iterator[Checked]:
        """The same on several processors, in the same order."""
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        # What every process needs is there before they part: forked, they share it.
        checks()
        _ = self._workspace.repository.fleet
        chunks = (names[start : start + _CHUNK] for start in range(0, len(names), _CHUNK))
        pool = ProcessPoolExecutor(processes, get_context("fork"), _become, (self,))
        try:
            for checked, damaged in pool.map(_chunk, chunks):
                self._workspace.damaged += damaged
                yield from checked
        finally:
            # Whoever reads may have left (`| head`), or a person has had enough: nobody waits for the rest then.
            pool.shutdown(wait=False, cancel_futures=True)


_own: list[FleetCheck] = []
"""In a forked process: what it was forked from."""


def _become(check: FleetCheck) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process ends the others
    _own[:] = [check]


def _chunk(names: Sequence[str]) -> tuple[list[Checked], list[Finding]]:
    check = _own[0]
    return [check.host(name) for name in names], check.take_damaged()
