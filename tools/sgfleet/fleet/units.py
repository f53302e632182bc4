"""The units of a host: as its spec renders them, as they are committed, and what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sgfleet.render.committed import committed_units, orphaned, stray_folders
from sgfleet.render.drift import drift, unit_path
from sgfleet.render.host import render_host
from sgfleet.source.problems import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.findings import Finding
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.render.host import Rendered
    from sgfleet.spec.host_spec import HostSpec


class HostUnits(NamedTuple):
    """`committed`: service -> text under units/. `findings`: what cannot be rendered or read, and no drift.

    `usable` is False where the host's folder of units is a link or cannot be listed: nothing is written there.
    """

    rendered: Rendered
    committed: dict[str, str]
    findings: list[Finding]
    usable: bool

    def writable(self, host: str) -> dict[str, str]:
        """Service -> its unit as rendered, without those whose place is taken by something that is told already: a
        link, a pipe, a folder, a file that cannot be read. Nothing is written over or through them.
        """
        if not self.usable:
            return {}
        taken = {each.place.path for each in self.findings}
        return {name: text for name, text in self.rendered.units.items() if unit_path(host, name) not in taken}

    def chosen(self, services: set[str] | None) -> HostUnits:
        """The same for some services only; None means all."""
        if services is None:
            return self
        rendered = type(self.rendered)(
            {name: text for name, text in self.rendered.units.items() if name in services}, self.rendered.known
        )
        committed = {name: text for name, text in self.committed.items() if name in services}
        findings = [each for each in self.findings if each.service in {None, *services}]
        return HostUnits(rendered, committed, findings, self.usable)


def host_units(workspace: Workspace, spec: HostSpec) -> HostUnits:
    """Render a host's services and read their committed units."""
    rendered = render_host(spec, workspace.release, workspace.lacks)
    findings = list(rendered.findings)
    committed = committed_units(workspace.tree, spec.name, findings)
    return HostUnits(rendered, committed or {}, findings, committed is not None)


def unit_findings(spec: HostSpec, units: HostUnits) -> list[Finding]:
    """Everything that is wrong with a host's units, drift included."""
    if not units.usable:
        return units.findings
    rendered = units.writable(spec.name)
    return [*units.findings, *drift(spec.name, rendered, units.committed, units.rendered.known)]


def strays(workspace: Workspace) -> Iterator[Finding]:
    """What stands in units/ and belongs to no host; nothing where which hosts there are is not known."""
    if not workspace.repository.listed:
        return
    try:
        for finding in stray_folders(workspace.tree, frozenset(workspace.repository.host_names)):
            if finding.host is None:
                yield finding
            else:
                yield from _orphaned(workspace, finding, finding.host)
    except SourceError as error:  # units/ itself is a link, or cannot be listed
        yield from error.findings


def _orphaned(workspace: Workspace, finding: Finding, host: str) -> Iterator[Finding]:
    """What to do about the units of a host that is gone: render removes what it wrote, and nothing else."""
    unread: list[Finding] = []
    if committed_units(workspace.tree, host, unread) is None:  # whose they are, nobody can tell
        yield from unread
        return
    ours, foreign = orphans(workspace, host)
    folder = finding.place.path
    steps = [
        *(["sgfleet render removes them"] if ours else ()),
        *([f"move away what sgfleet has not written into {folder}"] if foreign else ()),
    ] or [f"remove {folder}"]
    if not workspace.repository.host_names:  # all hosts gone at once is rather a mistake, and render removes nothing
        steps = [f"git rm -r {folder}"]
    yield finding._replace(help=f"{', and '.join(steps)}; or bring hosts/{host}/host.yaml back")


def orphans(workspace: Workspace, host: str) -> tuple[list[str], bool]:
    """Of a host that is gone: the services whose units we rendered, and whether anything else is left there."""
    left: list[Finding] = []
    units = committed_units(workspace.tree, host, left) or {}
    ours = sorted(name for name, text in units.items() if orphaned(text, host))
    return ours, bool(left) or len(ours) < len(units)
