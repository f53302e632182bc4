"""Show services as they are after defaults: every value, and the file and line that it comes from.

The nearest layer wins: the service, then the defaults of its host, then those of fleet.yaml, then the tool's own.
Secrets are not shown.

Exit codes: 0 shown, 1 a service cannot be put together, 2 usage, 3 there is no host.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from sgfleet.cli.common import FINDINGS, NOTHING, OK, add_format, add_root, add_targets, root_of
from sgfleet.output.json_answer import json_text

if TYPE_CHECKING:
    import argparse

    from sgfleet.fleet.workspace import Workspace
    from sgfleet.output.resolved import Service
    from sgfleet.spec.explained import Explained
    from sgfleet.spec.host_spec import HostSpec

SUMMARY: Final = "the resolved spec, and where each value comes from"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Targets, format, root."""
    add_targets(parser)
    add_format(parser, ("yaml", "json"))
    add_root(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print host by host what is meant."""
    from sgfleet.cli.report import told_damage
    from sgfleet.cli.targets import check_services, selected
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.output.colour import paint_for
    from sgfleet.output.resolved import FORMAT, as_data, as_yaml

    workspace = Workspace(root_of(arguments))
    selection = selected(workspace, arguments.targets)
    if not selection.hosts:
        print("error: there is no host to show", file=sys.stderr)
        return NOTHING
    chosen = list(workspace.repository.hosts(name for name, services in selection.hosts.items() if services))
    for spec in chosen:  # before anything is printed
        if spec.document is not None:
            check_services(selection, spec.name, (*spec.services, *spec.unresolved))
    unknown = 0
    shown: dict[str, Any] = {}
    for number, spec in enumerate(workspace.repository.hosts(selection.hosts)):
        wanted = selection.hosts[spec.name]
        services = {
            name: service for name, service in _services(workspace, spec).items() if wanted is None or name in wanted
        }
        unknown += _complain(spec, wanted)
        if arguments.format == "json":
            shown[spec.name] = {"services": as_data(services)}
        elif spec.document is not None:
            print(*(["---"] if number else []), *as_yaml(spec.name, services, paint_for(sys.stdout)), sep="\n")
    if arguments.format == "json":
        print(json_text({"format": FORMAT, "hosts": shown}, indent=2, ascii_only=False))
    return FINDINGS if unknown or told_damage(workspace) else OK


def _services(workspace: Workspace, spec: HostSpec) -> dict[str, Service]:
    from sgfleet.spec.explained import explain

    found: dict[str, Service] = {}
    for name, resolved in spec.services.items():
        release = workspace.release(resolved.service.release)
        service = explain(resolved, release.order if release else {})
        found[name] = {
            key: {each: _hidden((key, each), one) for each, one in value.items()}
            if isinstance(value, dict)
            else _hidden((key,), value)
            for key, value in service.items()
        }
    return found


def _hidden(route: tuple[str, ...], one: Explained) -> Explained:
    """The value without secrets: what is one is told by the names above it as well."""
    from sgfleet.spec.explained import Explained
    from sgfleet.spec.secrecy import without_secrets

    nested = one.value
    for key in reversed(route):
        nested = {key: nested}
    shown = without_secrets(nested)
    for _ in route:
        (shown,) = shown.values()
    return Explained(shown, one.place)


def _complain(spec: HostSpec, wanted: set[str] | None) -> int:
    """Say what of a host cannot be shown, and count it."""
    missing = [name for name in spec.unresolved if wanted is None or name in wanted]
    for name in missing:
        print(f"error: {spec.name}/{name} cannot be put together", file=sys.stderr)
    if spec.document is None:
        print(f"error: {spec.name} has no readable host.yaml", file=sys.stderr)
    if missing or spec.document is None:
        print(f"help: sgfleet check {spec.name} says why", file=sys.stderr)
    return len(missing) + (spec.document is None)
