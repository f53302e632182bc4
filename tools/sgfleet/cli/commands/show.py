"""Show services as they are after defaults: every value, and the file and line that it comes from.

The nearest layer wins: the service, then the defaults of its host, then those of fleet.yaml, then the tool's own.
Secrets are not shown.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final

from sgfleet.cli.common import FINDINGS, NOTHING, OK, add_format, add_root, add_targets, root_of

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
    from sgfleet.cli.targets import check_services, select
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.output.colour import paint_for
    from sgfleet.output.resolved import FORMAT, as_data, as_yaml

    root = root_of(arguments)
    workspace = Workspace(root)
    selection = select(arguments.targets, workspace.repository.host_names, root)
    if not selection.hosts:
        print("error: there is no host to show", file=sys.stderr)
        return NOTHING
    chosen = list(workspace.repository.hosts(name for name, services in selection.hosts.items() if services))
    for spec in chosen:  # before anything is printed
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
        print(json.dumps({"format": FORMAT, "hosts": shown}, indent=2, ensure_ascii=False))
    return FINDINGS if unknown else OK


def _services(workspace: Workspace, spec: HostSpec) -> dict[str, Service]:
    from sgfleet.spec.explained import explain

    found: dict[str, Service] = {}
    for name, resolved in spec.services.items():
        release = workspace.release(resolved.service.release)
        service = explain(resolved, release.order if release else {})
        found[name] = {
            # `secrets` names variables: what they hold is on the host alone.
            key: {each: _masked(each, one) for each, one in value.items()}
            if isinstance(value, dict) and key != "secrets"
            else value
            for key, value in service.items()
        }
    return found


def _masked(name: str, one: Explained) -> Explained:
    from sgfleet.rules.credentials import holds_secret, kind_of_secret, texts
    from sgfleet.rules.masking import BLOT
    from sgfleet.spec.explained import Explained
    from sgfleet.spec.secrecy import names_secret

    value = one.value
    named = names_secret(name) and (holds_secret(value) or isinstance(value, list | dict))
    shaped = any(kind_of_secret(text) for _, text in texts((), value))
    return Explained(BLOT, one.place) if named or shaped else one


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
