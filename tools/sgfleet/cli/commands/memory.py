"""Memory of hosts: each rank's GPU from weights to KV tokens, host pools summed over ranks and services, what is left.

`--set hicache-ratio=4` shows both budgets before and after the change, with the largest value that fits. Nothing is
started and nothing is written. Whether it fits is what `check` says of the same specification: about memory, ranks
without a GPU, and flags that the release refuses. What is not counted and may decide is named as not judged.

Exit codes: 0 everything fits, 1 errors or warnings, or a file cannot be read, 2 usage, 3 something that may decide is
not judged.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from sgfleet.cli.change import add_change
from sgfleet.cli.common import FINDINGS, NOTHING, OK, add_format, add_root, add_targets, root_of

if TYPE_CHECKING:
    import argparse

    from sgfleet.output.memory.report import HostReport

SUMMARY: Final = "GPU and RAM budgets, also with other flags"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Targets, the change, format, root."""
    add_targets(parser)
    add_change(parser)
    add_format(parser, ("text", "json", "svg", "markdown"))
    add_root(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the budgets of what is meant."""
    from sgfleet.cli.budgets import report_of
    from sgfleet.cli.change import change_of
    from sgfleet.cli.report import told_damage, told_unread, unread
    from sgfleet.cli.targets import check_services, selected
    from sgfleet.fleet.workspace import Workspace

    workspace = Workspace(root_of(arguments))
    selection = selected(workspace, arguments.targets)
    change = change_of(arguments.changes, arguments.release, workspace)
    reports, lacking = [], []
    for spec in workspace.repository.hosts(selection.hosts):
        lacking += unread(spec)
        if spec.document is None:
            continue
        check_services(selection, spec.name, (*spec.services, *spec.unresolved))
        reports.append(report_of(workspace, spec, selection.hosts[spec.name], change))
    lost = told_unread(workspace, lacking)
    if not any(report.services for report in reports):
        if lost:
            return FINDINGS
        print("error: there is no service to look at", file=sys.stderr)
        return NOTHING
    _print(reports, arguments.format)
    if told_damage(workspace, models=True) or lost:
        return FINDINGS
    if any(report.is_bad for report in reports):
        return FINDINGS
    return OK if all(report.is_judged for report in reports) else NOTHING


def _print(reports: list[HostReport], form: str) -> None:
    if form == "json":
        from sgfleet.output.memory.json_form import as_json

        print(as_json(reports), end="")
    elif form == "svg":
        from sgfleet.output.memory.svg import as_svg

        print(as_svg(reports), end="")
    elif form == "markdown":
        from sgfleet.output.memory.markdown import as_markdown

        print("\n".join(map(as_markdown, reports)), end="")
    else:
        from sgfleet.output.colour import paint_for
        from sgfleet.output.memory.text import as_text

        print("\n".join(as_text(report, paint_for(sys.stdout)) for report in reports), end="")
