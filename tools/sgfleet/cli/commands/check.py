"""Hold hosts against everything that is known: their own files, the flag schema of their release, their facts, policy.

Names of hosts, of services (HOST/SERVICE) or files of the repository choose what is checked; the default is everything.
Exit codes: 0 clean or notes only, 1 errors or warnings, 2 usage, 3 nothing to check, 4 a rule of sgfleet broke.
"""

from __future__ import annotations

import sys
from contextlib import closing
from typing import TYPE_CHECKING, Final

from sgfleet.cli.common import FINDINGS, NOTHING, OK, add_format, add_root, add_targets, root_of

if TYPE_CHECKING:
    import argparse


SUMMARY: Final = "validate hosts: files, flags, memory, units, policy"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Targets, format, root."""
    add_targets(parser)
    parser.add_argument("--units", action="store_true", help="hold units/ against what the specs render to as well")
    add_format(parser, ("text", "json", "github", "gitlab", "sarif"))
    add_root(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check what is meant and print the findings host by host."""
    from sgfleet.cli.report import writer_for
    from sgfleet.cli.targets import check_services, grave, refuse_unlisted, select
    from sgfleet.fleet.check import FleetCheck
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.output.progress import Progress
    from sgfleet.output.summary import Failure, Summary

    root = root_of(arguments)
    workspace = Workspace(root)
    if arguments.targets:
        refuse_unlisted(workspace)
    selection = select(arguments.targets, workspace.repository.host_names, root)
    for name in selection.ignored:
        print(f"note: {name} belongs to no host", file=sys.stderr)
    check = FleetCheck(workspace, selection, units=arguments.units)
    for host, services in check.partial():
        check_services(selection, host, services)
    writer = writer_for(arguments.format)
    summary, crashes, wrong = Summary(), [], False
    progress = Progress(sys.stderr, "hosts", len(selection.hosts))
    writer.begin()
    with closing(iter(check)) as results:  # ends the other processes when this one cannot go on
        for checked in results:
            progress.step(checked.host is not None)
            if checked.findings:
                progress.clear()
            summary.count(checked.findings)
            wrong = wrong or bool(grave(checked.findings))
            summary.hosts += checked.host is not None
            summary.services += len(checked.services)
            crashes += checked.crashes
            writer.add(checked.findings)
    summary.failures = len(crashes)
    progress.clear()
    writer.end(summary, [Failure(crash.code, crash.subject, crash.error) for crash in crashes])
    sys.stdout.flush()
    print(summary, file=sys.stderr)
    if crashes:
        from sgfleet.cli.crash import report_rules

        return report_rules(crashes, sys.argv[1:])
    if not summary.clean and (summary.hosts or wrong):
        return FINDINGS
    if not summary.services:  # never success, whatever the reason
        print(f"nothing to check: {'no service' if summary.hosts else 'no host'} is meant", file=sys.stderr)
        return NOTHING
    return OK
