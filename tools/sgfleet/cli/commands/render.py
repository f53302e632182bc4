"""Render every service to the unit that is committed under units/, or hold units/ against that.

Without --check the units are written: whole files, replaced at once, only where they differ. Units of services that are
in no spec any more are removed when their host is rendered as a whole. Nothing is written over or through what is no
regular file.

Exit codes: 0 units are as the specs say, 1 units differ (--check, --staged) or a service cannot be rendered, 2 usage,
3 there is no service.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Final

from sgfleet.cli.common import FINDINGS, NOTHING, OK, add_format, add_root, add_targets, root_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

    from sgfleet.findings import Finding
    from sgfleet.fleet.selection import Selection
    from sgfleet.fleet.workspace import Workspace

UNWRITABLE: Final = "RND007"
SOUND: Final = "every unit is as specified"
"""What is said at the end where nothing was found: not that there are no findings, which `check` alone can tell."""

SUMMARY: Final = "render units/ from hosts/, or hold one against the other (--check)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `render` takes."""
    add_targets(parser)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="write nothing; exit 1 where units/ differs")
    mode.add_argument("--staged", action="store_true", help="for a Git hook: exit 1 until the units are in the index")
    add_format(parser, ("text", "json", "github", "gitlab", "sarif"))
    add_root(parser)


def run(arguments: argparse.Namespace) -> int:
    """Render what is meant. Findings go to standard output, what was written to standard error."""
    from sgfleet.cli.report import Report
    from sgfleet.cli.targets import grave, refuse_unlisted, select
    from sgfleet.fleet.spread import spread
    from sgfleet.fleet.units import strays
    from sgfleet.fleet.workspace import Workspace

    root = root_of(arguments)
    workspace = Workspace(root)
    if arguments.targets:
        refuse_unlisted(workspace)
    repository = workspace.repository
    selection = select(arguments.targets, repository.host_names, root)
    report = Report(arguments.format, SOUND)
    report.add(repository.findings)
    files = _Files(root)
    if selection.everything:
        report.add(strays(workspace) if arguments.check else [*_orphans(workspace, files), *files.refused])
    one = partial(_host, workspace, selection, check=arguments.check)
    touched = list(files.touched)
    for results in spread(list(selection.hosts), lambda names: list(map(one, names))):
        for services, findings, paths in results:
            report.host(services)
            report.add(findings)
            touched += paths
    report.add(workspace.damaged)
    report.end()
    if not repository.host_names and not grave(repository.findings):
        return NOTHING
    if not report.clean:
        return FINDINGS
    if arguments.staged:
        from sgfleet.cli.staged import staged

        return staged(root, touched)
    return OK


class _Files:
    """Puts units in place, says so, and remembers which. What the system refuses becomes a finding."""

    def __init__(self, root: Path, host: str | None = None) -> None:
        self._root = root
        self._host = host
        self.touched: list[str] = []
        self.refused: list[Finding] = []

    def keep(self, path: str) -> None:
        """The file is right as it is."""
        self.touched.append(path)

    def write(self, path: str, text: str) -> None:
        """Replace the file at once."""
        from sgfleet.source.replace import replace_file

        try:
            replace_file(self._root / path, text)
        except OSError as error:
            self._refuse(path, "written", error)
        else:
            self.touched.append(path)
            print(f"rendered {path}", file=sys.stderr)

    def remove(self, path: str) -> None:
        """Remove a unit that no spec asks for."""
        target = self._root / path
        try:
            target.unlink()
            if not any(target.parent.iterdir()):
                target.parent.rmdir()
        except OSError as error:
            self._refuse(path, "removed", error)
        else:
            self.touched.append(path)
            print(f"removed {path}: no spec has its service", file=sys.stderr)

    def _refuse(self, path: str, done: str, error: OSError) -> None:
        from sgfleet.findings import Finding, Place, Severity

        message = f"the unit cannot be {done}: {(error.strerror or type(error).__name__).lower()}"
        help_ = "give room or access, then render again"
        self.refused.append(Finding(UNWRITABLE, Severity.ERROR, message, Place(path), self._host, help=help_))


def _host(
    workspace: Workspace, selection: Selection, host: str, *, check: bool
) -> tuple[int, list[Finding], list[str]]:
    """One host: the number of its services, findings, and the paths of its units, those included that were removed."""
    from sgfleet.cli.targets import check_services
    from sgfleet.fleet.units import host_units, unit_findings
    from sgfleet.render.drift import unit_path
    from sgfleet.rules.host_check import settle

    spec = workspace.repository.host(host)
    fleet = workspace.repository.fleet
    chosen = selection.hosts[host]
    if spec.document is not None:  # a spec that could not be read says nothing about which services there are
        check_services(selection, host, {*spec.services, *spec.unresolved})
    units = host_units(workspace, spec).chosen(chosen)
    services = len(spec.services) if chosen is None else len(chosen)
    if check:
        return services, settle(spec, fleet, [*spec.findings, *unit_findings(spec, units)]), []
    files = _Files(workspace.root, host)
    for name, text in units.writable(host).items():
        path = unit_path(host, name)
        files.keep(path) if units.committed.get(name) == text else files.write(path, text)
    if chosen is None and spec.document is not None:
        for name in sorted(set(units.committed) - units.rendered.known):
            files.remove(unit_path(host, name))
    return services, settle(spec, fleet, [*spec.findings, *units.findings, *files.refused]), files.touched


def _orphans(workspace: Workspace, files: _Files) -> Iterator[Finding]:
    """Units of hosts that are gone: removed where they are ours, told otherwise."""

    from sgfleet.fleet.units import orphans, strays
    from sgfleet.render.drift import unit_path

    for finding in list(strays(workspace)):
        if finding.host is None or not workspace.repository.host_names:
            yield finding
            continue
        ours, foreign = orphans(workspace, finding.host)
        for name in ours:
            files.remove(unit_path(finding.host, name))
        if foreign:
            message = f"there is no host {finding.host}: what is left of its units was not written by sgfleet"
            help_ = f"move it away, or bring hosts/{finding.host}/host.yaml back"
            yield finding._replace(message=message, help=help_)
