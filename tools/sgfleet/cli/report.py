"""Findings on their way to standard output, in the form that was asked for, counted."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from sgfleet.output.summary import NO_FINDINGS, Summary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgfleet.findings import Finding
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.output.summary import Writer
    from sgfleet.spec.host_spec import HostSpec


def writer_for(form: str) -> Writer:
    """The renderer of a form, writing to standard output."""
    stream = sys.stdout
    if form == "text":
        from sgfleet.output.colour import paint_for
        from sgfleet.output.text import Text

        return Text(stream, paint_for(stream))
    if form == "github":
        from sgfleet.output.github import GitHub

        return GitHub(stream)
    if form == "gitlab":
        from sgfleet.output.gitlab import GitLab

        return GitLab(stream)
    from importlib.metadata import version

    if form == "json":
        from sgfleet.output.json_format import Json

        return Json(stream, version("sgfleet"))
    from sgfleet.output.sarif import Sarif
    from sgfleet.rules.registry import entries

    return Sarif(stream, version("sgfleet"), entries())


def unread(spec: HostSpec) -> list[Finding]:
    """Why the services of a host, or the machine, are not known although their file is there."""
    from sgfleet.cli.targets import grave

    wrong = grave(spec.findings)
    if spec.document is None:
        return wrong
    if spec.has_facts_file and spec.facts is None:
        return [each for each in wrong if each.place.path.endswith("/facts.yaml")]
    return []


def told_unread(workspace: Workspace, found: list[Finding]) -> bool:
    """Say on standard error which files could not be read, beside an answer that had to do without them; if any."""
    from sgfleet.cli.targets import grave
    from sgfleet.output.colour import paint_for
    from sgfleet.output.text import Text

    fleet = workspace.repository.fleet
    found = [*([] if fleet.sound else grave(fleet.findings)), *found]
    Text(sys.stderr, paint_for(sys.stderr)).add(sorted(found, key=lambda finding: finding.order))
    return bool(found)


def told_damage(workspace: Workspace, *, models: bool = False) -> bool:
    """Say on standard error which flag schemas are damaged, and which facts of models, beside an answer that had to do
    without them; if any.
    """
    from sgfleet.output.colour import paint_for
    from sgfleet.output.text import Text

    if models:
        workspace.look_at_models(thorough=False)
    found = list({each.message: each for each in workspace.damaged}.values())
    Text(sys.stderr, paint_for(sys.stderr)).add(found)
    return bool(found)


def write_findings(findings: Iterable[Finding]) -> None:
    """Findings as text, for a command whose answer they are when there is no other."""
    writer = writer_for("text")
    writer.begin()
    writer.add(sorted(findings, key=lambda finding: finding.order))
    writer.end(Summary(), ())


class Report:
    """Takes findings as they come and ends with a line for the person."""

    def __init__(self, form: str, sound: str = NO_FINDINGS) -> None:
        self._writer = writer_for(form)
        self._summary = Summary(sound=sound)
        self._writer.begin()

    def host(self, services: int) -> None:
        """One more host was looked at."""
        self._summary.hosts += 1
        self._summary.services += services

    def add(self, findings: Iterable[Finding]) -> None:
        """The findings of one host, or of what belongs to no host."""
        ordered = sorted(findings, key=lambda finding: finding.order)
        self._summary.count(ordered)
        if ordered:
            self._writer.add(ordered)

    @property
    def clean(self) -> bool:
        """Whether nothing asks for a change."""
        return self._summary.clean

    def end(self) -> None:
        """After the last host: what the writer still has, and the summary to standard error."""
        self._writer.end(self._summary, ())
        sys.stdout.flush()
        print(self._summary, file=sys.stderr)
