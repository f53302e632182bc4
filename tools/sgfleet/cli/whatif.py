"""A repository as a place to try changes in: another text of a host's file, read and checked without writing it."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from sgfleet.fleet.memories import Memories
from sgfleet.memory.assemble import host_facts_of, service_of
from sgfleet.memory.device import NotKnownError
from sgfleet.memory.unjudged import unjudged
from sgfleet.options.trial import World
from sgfleet.rules.host_check import check_host
from sgfleet.spec.repository import HOST_FILE, HOSTS, Repository

if TYPE_CHECKING:
    from sgfleet.engine.release import Release
    from sgfleet.findings import Finding
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.memory.service import Service
    from sgfleet.source.tree import Entry, Tree
    from sgfleet.spec.host_spec import HostSpec


class _Overlay:
    """A tree in which one file has another text."""

    def __init__(self, tree: Tree, path: str, text: str) -> None:
        self.tree, self.path, self.text = tree, path, text

    def entries(self, folder: str) -> tuple[Entry, ...]:
        """See `Tree`."""
        return self.tree.entries(folder)

    def read(self, path: str) -> bytes:
        """See `Tree`."""
        return self.text.encode() if path == self.path else self.tree.read(path)


class Trials:
    """Makes the `World` of a host's services. What was checked or computed once is kept."""

    def __init__(self, workspace: Workspace, spec: HostSpec) -> None:
        self.workspace, self.spec = workspace, spec
        self._memories = Memories(workspace)
        self._today = datetime.datetime.now(datetime.UTC).date()
        self._checked: dict[int, tuple[HostSpec, list[Finding]]] = {}

    def world(self, release: Release) -> World:
        """The world of the services that run this release."""
        fleet = self.workspace.repository.fleet
        facts = host_facts_of(self.spec.facts, fleet.policy)
        return World(self.spec, facts, release, self.read, self.check, self.check_memory, self.services, self.unjudged)

    def read(self, text: str) -> HostSpec:
        """The host, if its file had this text."""
        path = f"{HOSTS}/{self.spec.name}/{HOST_FILE}"
        repository = Repository(_Overlay(self.workspace.tree, path, text), self.workspace.names_of)
        return repository.host(self.spec.name)

    def check(self, spec: HostSpec) -> list[Finding]:
        """What `sgfleet check` says but for memory."""
        known = self._checked.get(id(spec))
        if known is None:
            checked = check_host(spec, self.workspace.repository.fleet, self.workspace.release, self._today)
            known = self._checked[id(spec)] = (spec, checked.findings)
        return known[1]

    def check_memory(self, spec: HostSpec) -> list[Finding]:
        """What `sgfleet check` says of the files."""
        fleet, memory = self.workspace.repository.fleet, self._memories.of(spec)
        return check_host(spec, fleet, self.workspace.release, self._today, memory).findings

    def unjudged(self, spec: HostSpec, name: str) -> tuple[str, ...]:
        """What the budgets of a service leave open."""
        return unjudged(self._memories.of(spec)(), name)

    def services(self, spec: HostSpec) -> dict[str, Service | NotKnownError]:
        """The budgets' side of every service. The observed starts had the flags that the repository has now."""
        return {name: self._service(spec, name) for name in spec.services}

    def _service(self, spec: HostSpec, name: str) -> Service | NotKnownError:
        service = spec.services[name].service
        release = self.workspace.release(service.release)
        if release is None:
            return NotKnownError(*self.workspace.lacks(service.release))
        own = self.spec.services[name].service
        try:
            made = service_of(name, own, release, spec.facts, self.workspace.root, service.flags)
            made.budget  # noqa: B018 - what cannot be known is to be said here
        except NotKnownError as error:
            return error
        return made
