"""Move services to another release: `release` and the flags that have a new name, one line each in host.yaml.

Flags are renamed only where both releases' schemas say that the new name sets the same thing. What the new release does
not take is told, and then nothing is written: a person decides. Changed meanings of given flags, and changed defaults
of others, are listed. A service that has the release already stays as it is, but for --python.

Exit codes: 0 moved (with --check: can be moved), 1 something has to be decided first, 2 usage, 3 there is no service.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from sgfleet.cli.common import FINDINGS, NOTHING, OK, UsageError, add_root, check_spec_value, root_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

    from sgfleet.adopt.move import Move
    from sgfleet.engine.release import Release
    from sgfleet.source.document import Document, Route
    from sgfleet.spec.host_spec import HostSpec
    from sgfleet.spec.resolve import Resolved

SUMMARY: Final = "move services to another release"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is moved, and where to."""
    parser.add_argument("target", metavar="HOST[/SERVICE]", help="what is moved")
    parser.add_argument("--to", required=True, metavar="RELEASE", help="the release that shall run")
    parser.add_argument("--python", metavar="PATH", help="the interpreter of the environment that has it")
    parser.add_argument("--check", action="store_true", help="write nothing")
    add_root(parser)


def run(arguments: argparse.Namespace) -> int:
    """Report, and write where nothing is left to decide."""
    from sgfleet.cli.releases import load_release
    from sgfleet.cli.targets import check_services, selected
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.source.edit import EditError
    from sgfleet.source.replace import replace_file

    check_spec_value("--python", "python", arguments.python)
    workspace = Workspace(root_of(arguments))
    selection = selected(workspace, [arguments.target])
    new = load_release(arguments.to, workspace.root)
    undecided = services = 0
    texts: dict[str, str] = {}
    for spec in workspace.repository.hosts(selection.hosts):
        check_services(selection, spec.name, (*spec.services, *spec.unresolved))
        chosen = selection.hosts[spec.name]
        _refuse_unresolved(spec, chosen)
        _refuse_unwritable(spec, arguments, workspace.root)
        document = spec.document
        for name, resolved in spec.services.items():
            if document is None or (chosen is not None and name not in chosen):
                continue
            services += 1
            found = _told(spec.name, resolved, new, arguments.python, workspace.root)
            undecided += len(found.refused)
            try:
                document = _edited(document, resolved, found, arguments, whole=chosen is None)
            except EditError as error:
                print(f"  error: {error.message} ({error.place})")
                undecided += 1
        if document is not None and spec.document is not None and document.text != spec.document.text:
            texts[document.path] = document.text
    if not services:
        print("error: there is no service to move", file=sys.stderr)
        return NOTHING
    if undecided:
        print(f"error: {undecided} to decide first; nothing is written", file=sys.stderr)
        return FINDINGS
    if not texts:
        print("nothing to write: all of it is so already", file=sys.stderr)
    if not arguments.check:
        for path, text in texts.items():
            replace_file(workspace.root / path, text)
            print(f"written {path}; sgfleet render comes next", file=sys.stderr)
    return OK


def _told(host: str, resolved: Resolved, new: Release, python: str | None, root: Path) -> Move:
    """What a move does to a service, said as it is found. One that is there already needs none."""
    from sgfleet.adopt.move import Move, lines, move
    from sgfleet.cli.releases import load_release

    service = resolved.service
    if service.release == new.version:
        print(f"{host}/{resolved.name}: SGLang {new.version} already")
        found = Move()
    else:
        print(f"{host}/{resolved.name}: SGLang {service.release} -> {new.version}")
        found = move(service, load_release(service.release, root), new, root)
    for label, line in lines(found):
        print(f"  {label}: {line}")
    if python is not None and python != service.python:
        print(f"  python: {service.python} -> {python}")
    elif python is None and service.release != new.version and _is_named(service.release, service.python):
        print(f"  to do: python still is {service.python}: give --python, or edit it")
    return found


def _is_named(release: str, path: str) -> bool:
    """Whether a path names this release, and not one whose number it only begins or ends."""
    import re

    return re.search(rf"(?<![0-9.]){re.escape(release)}(?!\.?[0-9]|[.-]?post[0-9])", path) is not None


def _refuse_unresolved(spec: HostSpec, chosen: set[str] | None) -> None:
    if missing := [name for name in spec.unresolved if chosen is None or name in chosen]:
        raise UsageError(f"{spec.name}/{missing[0]} cannot be put together", f"sgfleet check {spec.name} says why")


def _refuse_unwritable(spec: HostSpec, arguments: argparse.Namespace, root: Path) -> None:
    """Before all that is told of a move: it cannot be made.

    Raises:
        OSError: the host's file cannot be written.
    """
    from sgfleet.source.replace import refuse_unwritable

    if not arguments.check and spec.document is not None:
        refuse_unwritable(root / spec.document.path)


def _edited(
    document: Document, resolved: Resolved, found: Move, arguments: argparse.Namespace, *, whole: bool
) -> Document:
    """The host's file with one service moved. What all services of the host share is changed when all of them move.

    Raises:
        EditError: the file cannot be changed safely, or a flag with a new name comes from fleet.yaml.
    """
    from sgfleet.source.edit import EditError, put, rename
    from sgfleet.source.read import read_text

    own: Route = ("services", resolved.name)
    for key, value in _values(arguments):
        route = (*own, key)
        origin = resolved.origin((key,))
        if whole and origin is not None and origin.document.path == document.path:
            route = origin.route
        if _held(document, route) != value:
            document = read_text(put(document, route, value), document.path)
    for old, name in found.renamed.items():
        mapping = "secrets" if old in resolved.service.secrets else "flags"
        origin = resolved.origin((mapping, old))
        if origin is None:
            continue
        if origin.document.path != document.path or (origin.route[0] == "defaults" and not whole):
            place = origin.document.place(origin.route, "key")
            raise EditError(f"{old} is {name} now, and comes from what other services share: change it there", place)
        if document.holds(origin.route):  # another service of the host may have renamed a shared one
            document = read_text(rename(document, origin.route, name), document.path)
    return document


def _held(document: Document, route: Route) -> object:
    value: Any = document.data if document.holds(route) else None
    for step in route if document.holds(route) else ():
        value = value[step]
    return value


def _values(arguments: argparse.Namespace) -> Iterator[tuple[str, str]]:
    yield "release", arguments.to
    if arguments.python is not None:
        yield "python", arguments.python
