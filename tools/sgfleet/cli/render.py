"""Render every service to the unit that is committed under units/, or hold units/ against that.

Without --check the units are written: whole files, replaced at once, only where they differ. Units of services that are
in no spec any more are removed when their host is rendered as a whole.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sgfleet.cli.common import FINDINGS, NOTHING, OK, add_format, add_root, add_targets, root_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from sgfleet.cli.targets import Selection
    from sgfleet.cli.workspace import Workspace
    from sgfleet.findings import Finding
    from sgfleet.spec.host_spec import HostSpec

SUMMARY: Final = "render units/ from hosts/, or hold one against the other (--check)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `render` takes."""
    add_targets(parser)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="write nothing; exit 1 where units/ differs")
    mode.add_argument("--staged", action="store_true", help="for a Git hook: exit 1 until the units are in the index")
    add_format(parser, ("text", "json", "github", "sarif"))
    add_root(parser)


def run(arguments: argparse.Namespace) -> int:
    """Render what is meant. Findings go to standard output, what was written to standard error."""
    from sgfleet.cli.report import Report
    from sgfleet.cli.targets import select
    from sgfleet.cli.workspace import Workspace

    root = root_of(arguments)
    workspace = Workspace(root)
    repository = workspace.repository
    selection = select(arguments.targets, repository.host_names, root)
    report = Report(arguments.format)
    paths = _Writer(root)
    report.add(repository.findings)
    if selection.everything:
        report.add(_without_host(workspace, paths, check=arguments.check))
    for spec in repository.hosts(selection.hosts):
        report.host(len(spec.services))
        report.add(_host(workspace, spec, selection, paths, check=arguments.check))
    report.add(workspace.damaged)
    report.end()
    if not repository.host_names:
        return NOTHING
    if not report.clean:
        return FINDINGS
    return _staged(root, paths.touched) if arguments.staged else OK


class _Writer:
    """Puts files in place, says so, and remembers which."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.touched: list[str] = []

    def keep(self, path: str) -> None:
        """The file is right as it is."""
        self.touched.append(path)

    def write(self, path: str, text: str) -> None:
        """Replace the file at once, so that nobody ever reads half of it."""
        import tempfile

        target = self._root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=".")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            Path(temporary).chmod(0o644)
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        self.touched.append(path)
        print(f"rendered {path}", file=sys.stderr)

    def remove(self, path: str) -> None:
        """Remove a unit that no spec asks for."""
        target = self._root / path
        target.unlink()
        if not any(target.parent.iterdir()):
            target.parent.rmdir()
        self.touched.append(path)
        print(f"removed {path}: no spec has its service", file=sys.stderr)


def _host(
    workspace: Workspace, spec: HostSpec, selection: Selection, files: _Writer, *, check: bool
) -> Iterator[Finding]:
    from sgfleet.cli.targets import check_services
    from sgfleet.render.committed import committed_units
    from sgfleet.render.drift import drift, unit_path
    from sgfleet.render.host import render_host

    check_services(selection, spec.name, {*spec.services, *spec.unresolved})
    chosen = selection.hosts[spec.name]
    rendered = render_host(spec, workspace.release)
    found: list[Finding] = [*spec.findings, *rendered.findings]
    committed = committed_units(workspace.tree, spec.name, found)
    if chosen is not None:
        rendered.units = {name: text for name, text in rendered.units.items() if name in chosen}
        committed = {name: text for name, text in committed.items() if name in chosen}
        found = [each for each in found if each.service is None or each.service in chosen]
    if check:
        found += drift(spec.name, rendered.units, committed, rendered.known)
    else:
        for name, text in rendered.units.items():
            path = unit_path(spec.name, name)
            files.keep(path) if committed.get(name) == text else files.write(path, text)
        # A spec that could not be read says nothing about which services there are.
        if chosen is None and spec.document is not None:
            for name in sorted(set(committed) - rendered.known):
                files.remove(unit_path(spec.name, name))
    yield from found


def _without_host(workspace: Workspace, files: _Writer, *, check: bool) -> Iterator[Finding]:
    """Units of hosts that are gone: removed where they are ours, told otherwise."""
    from sgfleet.render.committed import committed_units, orphaned, stray_folders
    from sgfleet.render.drift import unit_path

    hosts = workspace.repository.host_names
    for finding in stray_folders(workspace.tree, hosts):
        if check or finding.host is None or not hosts:
            yield finding
            continue
        left: list[Finding] = []
        units = committed_units(workspace.tree, finding.host, left)
        foreign = [name for name, text in units.items() if not orphaned(text, finding.host)]
        for name in sorted(set(units) - set(foreign)):
            files.remove(unit_path(finding.host, name))
        if foreign or left:
            yield finding


def _staged(root: Path, paths: Iterable[str]) -> int:
    """Whether the index has every unit as it is in the working tree: only then does the commit carry it."""
    from sgfleet.source.git import GitError, git

    wanted = sorted(set(paths))
    if not wanted:
        return OK
    try:
        changed = git(root, "diff", "--name-only", "-z", "--", *wanted)
        untracked = git(root, "ls-files", "--others", "-z", "--", *wanted)
    except GitError as error:
        print(f"error: {error}", file=sys.stderr)
        return FINDINGS
    missing = [name.decode(errors="replace") for name in (changed + untracked).split(b"\0") if name]
    if not missing:
        return OK
    print("error: rendered units are not in the commit", file=sys.stderr)
    print(f"help: git add {' '.join(missing)}", file=sys.stderr)
    return FINDINGS
