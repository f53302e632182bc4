"""The flag schemas of SGLang's releases: add, list, compare.

`add` fetches a wheel with pip and reads its flags without importing anything of it. A flag whose type or action is not
known is written as opaque, and named; a release whose declarations are not understood is an error.

Exit codes: 0 done, 1 a release could not be read, 2 usage (also: no such release).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgfleet.cli.common import FINDINGS, OK, UsageError, add_format, add_root, root_of
from sgfleet.cli.releases import load_release
from sgfleet.output.json_answer import json_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from sgfleet.engine.difference import Changed, Difference
    from sgfleet.engine.release import Release
    from sgfleet.engine.schema_writer import Failed, Written

SUMMARY = "the flag schemas of SGLang's releases: add, list, diff"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The three subcommands."""
    commands = parser.add_subparsers(dest="subcommand", required=True, metavar="add|list|diff")
    add = commands.add_parser("add", help="read the flags of releases from their wheels", allow_abbrev=False)
    add.add_argument("releases", nargs="*", metavar="RELEASE", help="for example 0.5.9 or 0.5.8.post1")
    which = add.add_mutually_exclusive_group()
    which.add_argument("--latest", action="store_true", help="what came out after the newest release that is here")
    which.add_argument("--missing", action="store_true", help="every release on the index that is not here")
    which.add_argument("--all", action="store_true", help="every release on the index, those that are here as well")
    which.add_argument("--wheel", type=Path, nargs="+", metavar="FILE", help="wheel files on this machine")
    which.add_argument("--rewrite", action="store_true", help="the form of every file that is here, without a wheel")
    listing = commands.add_parser("list", help="the releases that have a schema", allow_abbrev=False)
    diff = commands.add_parser("diff", help="what changes from one release to another", allow_abbrev=False)
    diff.add_argument("old", metavar="OLD")
    diff.add_argument("new", metavar="NEW")
    for command in (add, listing, diff):
        add_root(command)
        add_format(command, ("text", "json"))


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand."""
    match arguments.subcommand:
        case "add":
            return _add(arguments)
        case "list":
            return _list(arguments)
    return _diff(arguments)


def _add(arguments: argparse.Namespace) -> int:
    from sgfleet.engine import schema_writer, store

    folder = root_of(arguments) / store.FOLDER
    if arguments.releases and (arguments.wheel or arguments.rewrite):
        raise UsageError("releases are named, and wheel files or --rewrite as well", "say one of them")
    results: Iterator[Written | Failed]
    if arguments.rewrite:
        results = schema_writer.rewrite(folder)
    elif arguments.wheel:
        results = (schema_writer.from_wheel(wheel, folder) for wheel in arguments.wheel)
    else:
        results = schema_writer.from_index(_wanted(arguments, store.versions_in(folder)), folder)
    done: list[Written] = []
    failed: list[Failed] = []
    for result in results:
        if isinstance(result, schema_writer.Written):
            done.append(result)
            if arguments.format == "text":
                _print_written(result)
        else:
            failed.append(result)
            _print_failed(result)
    if any(result.state != "unchanged" for result in done):
        from sgfleet.engine.argv import history

        history.write(folder)
    failed.extend(_with_endpoints(done, folder))
    if arguments.format == "json":
        print(json_text(_report(done, failed), indent=2))
    elif not done and not failed:
        print("nothing to add")
    return FINDINGS if failed else OK


def _with_endpoints(done: list[Written], folder: Path) -> Iterator[Failed]:
    """Keep what the servers of these releases answer; where that cannot be read, the flags are kept all the same."""
    from sgfleet.engine import endpoints
    from sgfleet.engine.schema_writer import Failed

    read = []
    for result in done:
        match result.endpoints:
            case endpoints.Endpoints():
                read.append(result.endpoints)
            case None:
                continue
            case error:
                failed = Failed(result.release.version, f"its endpoints: {error.message}", error.module, error.line)
                _print_failed(failed)
                yield failed
    try:
        if read and endpoints.write(folder, read):
            print(
                f"{folder / endpoints.FILE}: the endpoints of {', '.join(each.version for each in read)}",
                file=sys.stderr,
            )
    except endpoints.EndpointsFormatError as error:
        failed = Failed(", ".join(each.version for each in read), f"{folder / endpoints.FILE}: {error}")
        _print_failed(failed)
        yield failed


def _print_failed(result: Failed) -> None:
    place = f"{result.module}:{result.line or 0}: " if result.module else ""
    print(f"error: {result.version}: {place}{result.message}", file=sys.stderr)


def _wanted(arguments: argparse.Namespace, here: list[str]) -> list[str]:
    """The releases that the call means, of those that the index has."""
    from sgfleet.engine import package_index, version

    named = list(dict.fromkeys(arguments.releases))
    if bool(named) == (arguments.latest or arguments.missing or arguments.all):
        raise UsageError("which releases?", "name them, or say --latest, --missing or --all")
    for release in named:
        if not version.is_release(release):
            raise UsageError(f"{release!r} is no final or post release", "releases look like 0.5.9 or 0.5.8.post1")
    if named:
        return named
    try:
        known = package_index.releases()
    except package_index.PackageIndexError as error:
        raise UsageError(str(error)) from None
    if arguments.all:
        return known
    if arguments.latest and here:
        return [release for release in known if version.key(release) > version.key(here[-1])]
    return [release for release in (known[-1:] if arguments.latest else known) if release not in here]


def _options(release: Release) -> int:
    return sum(len(flag.options) for flag in release.flags)


def _print_written(result: Written) -> None:
    release = result.release
    print(f"{result.state:<9} {release.version:<13} {len(release.flags)} flags, {_options(release)} option strings")
    for flag in release.flags:
        if flag.opaque:
            print(f"  opaque: {flag.options[0]}: {flag.why_opaque}")


def _report(done: list[Written], failed: list[Failed]) -> dict[str, Any]:
    by_state = {
        state: [r.release.version for r in done if r.state == state] for state in ("added", "changed", "unchanged")
    }
    opaque = {
        result.release.version: {flag.name: flag.why_opaque for flag in result.release.flags if flag.opaque}
        for result in done
        if any(flag.opaque for flag in result.release.flags)
    }
    failures = [{"release": f.version, "message": f.message, "module": f.module, "line": f.line} for f in failed]
    return {"format": 1, **by_state, "opaque": opaque, "failed": failures}


def _list(arguments: argparse.Namespace) -> int:
    from sgfleet.engine import store

    root = root_of(arguments)
    releases = [load_release(version, root) for version in store.available(root)]
    if arguments.format == "json":
        rows = [
            {
                "release": release.version,
                "flags": len(release.flags),
                "options": _options(release),
                "opaque": [flag.name for flag in release.flags if flag.opaque],
                "requires_python": release.requires_python,
            }
            for release in releases
        ]
        print(json_text({"format": 1, "releases": rows}, indent=2))
        return OK
    for release in releases:
        opaque = sum(flag.opaque for flag in release.flags)
        print(f"{release.version:<13} {len(release.flags):>4} flags" + (f", {opaque} opaque" if opaque else ""))
    return OK


def _diff(arguments: argparse.Namespace) -> int:
    from sgfleet.engine.difference import difference

    root = root_of(arguments)
    found = difference(load_release(arguments.old, root), load_release(arguments.new, root))
    if arguments.format == "json":
        import dataclasses

        print(json_text({"format": 1, **dataclasses.asdict(found)}, indent=2, ascii_only=False))
        return OK
    print(f"SGLang {found.old} -> {found.new}")
    for title, lines in _sections(found):
        if lines:
            print(f"\n{title} ({len(lines)})")
            print("\n".join(f"  {line}" for line in lines))
    if found.is_empty:
        print("\nthe same command line")
    return OK


def _sections(found: Difference) -> Iterator[tuple[str, list[str]]]:
    yield (
        "removed",
        [f"{gone.option}{f'  (stays as {gone.stays_as})' if gone.stays_as else ''}" for gone in found.removed],
    )
    yield "added", list(found.added)
    yield (
        "narrowed choices",
        [
            f"{flag.option}  " + (f"loses {_values(flag.lost)}" if flag.lost else f"now one of {_values(flag.left)}")
            for flag in found.narrowed
        ],
    )
    yield "changed defaults", [_arrow(change) for change in found.defaults]
    yield "changed meaning", [_arrow(change) for change in found.meaning]


def _values(values: Iterable[Any]) -> str:
    return ", ".join(map(str, values))


def _arrow(change: Changed) -> str:
    what = "" if change.what == "default" else f"{change.what}: "
    return f"{change.option}  {what}{_shown(change.before)} -> {_shown(change.after)}"


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else json_text(value)
