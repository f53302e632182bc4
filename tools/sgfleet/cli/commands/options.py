"""The ways to more KV capacity from here: host tier, memory fraction, FP8 KV rows, reserves, groups, and combinations.

Each is tried on paper with the code of `check` and `memory`: what the release refuses, or what does not fit, is not
offered and said with its reason. Where `check` has an error that no such change puts right (ranks without a GPU, flags
that the release does not have, a model that the backend has no kernels for), that comes first and nothing is offered.
`--apply N` writes option N into the service's host.yaml and leaves every other line as it is.

Exit codes: 0 shown or written, 1 check has an error that comes first or a file cannot be read, 2 usage, 3 nothing
could be computed.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from sgfleet.cli.common import FINDINGS, NOTHING, OK, UsageError, add_format, add_root, add_targets, root_of

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from sgfleet.options.option import ServiceOptions

SUMMARY: Final = "ways to more KV capacity, and --apply N"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Targets, the option to apply, format, root."""
    add_targets(parser)
    parser.add_argument("--apply", type=int, metavar="N", help="write option N of the one service that is meant")
    add_format(parser, ("text", "json"))
    add_root(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the options of what is meant, or write one."""
    from sgfleet.cli.kv_options import options_of
    from sgfleet.cli.report import told_damage, told_unread, unread
    from sgfleet.cli.targets import check_services, selected
    from sgfleet.fleet.workspace import Workspace

    root = root_of(arguments)
    workspace = Workspace(root)
    selection = selected(workspace, arguments.targets)
    found: list[ServiceOptions] = []
    lacking = []
    for spec in workspace.repository.hosts(selection.hosts):
        lacking += unread(spec)
        if spec.document is None:
            continue
        check_services(selection, spec.name, (*spec.services, *spec.unresolved))
        found += options_of(workspace, spec, selection.hosts[spec.name])
    lost = told_unread(workspace, lacking)
    if not found:
        if lost:
            return FINDINGS
        print("error: there is no service to look at", file=sys.stderr)
        return NOTHING
    if arguments.apply is not None:
        return _apply(found, arguments.apply, root)
    _print(found, arguments.format)
    if told_damage(workspace, models=True) or lost or any(service.refused for service in found):
        return FINDINGS
    return NOTHING if all(service.unknown is not None for service in found) else OK


def _print(found: list[ServiceOptions], form: str) -> None:
    if form == "json":
        from sgfleet.output.options.json_form import as_json

        print(as_json(found), end="")
    else:
        from sgfleet.output.colour import paint_for
        from sgfleet.output.options.text import as_text

        print("\n".join(as_text(service, paint_for(sys.stdout)) for service in found), end="")


def _apply(found: list[ServiceOptions], number: int, root: Path) -> int:
    """Write one option; the file must still be what the option was worked out from.

    Raises:
        UsageError: there is no such option, or it is not clear of which service.
    """
    from sgfleet.source.replace import replace_file

    if len(found) != 1:
        names = ", ".join(f"{service.host}/{service.name}" for service in found)
        raise UsageError("--apply needs one service", f"name one of {names}")
    service = found[0]
    if service.unknown is not None:
        raise UsageError(f"{service.host}/{service.name}: nothing to apply: {service.unknown}", service.help)
    if not 1 <= number <= len(service.options):
        there = f"there are 1 to {len(service.options)}" if service.options else "there is none"
        raise UsageError(f"{service.host}/{service.name} has no option {number}", there)
    option = service.options[number - 1]
    patch = option.patch
    target = root / patch.path
    if target.read_bytes() != patch.before.encode():
        raise UsageError(f"{patch.path} has changed in the meantime", "call sgfleet options again")
    replace_file(target, patch.after)
    print(patch.unified, end="")
    print(f"{patch.path}: {option.move.title}", file=sys.stderr)
    print(f"next: sgfleet render {service.host}, and a review; the service restarts with it", file=sys.stderr)
    return OK
