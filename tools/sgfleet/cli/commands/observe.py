"""Read what the engine said of a start, and keep it in hosts/<host>/facts.yaml with --write.

The source is a start-up log (a file, or - for standard input), the journal of the service's unit, or the /server_info
of the server that runs. Of several starts in a log the last complete one counts. What was measured stands beside what
the facts say already; from then on memory is computed from the measured terms. Keys and other secrets in such a text
are neither kept nor shown.

Exit codes: 0 read, 1 nothing was found or the start failed, 2 usage.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sgfleet.cli.common import FINDINGS, OK, FindingsError, UsageError, add_format, add_root, near, root_of
from sgfleet.output.json_answer import json_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from sgfleet.observe.compare import Row
    from sgfleet.observe.observation import Measured

SUMMARY: Final = "read what a start measured, from its log or the server"
_MOST_JSON_BYTES: Final = 32 * 2**20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `observe` takes."""
    parser.add_argument("service", metavar="HOST/SERVICE", help="the service whose start it is")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--log", metavar="FILE", help="a start-up log, or an answer of /server_info; - for stdin")
    source.add_argument("--journal", action="store_true", help="the journal of the service's unit, on this machine")
    source.add_argument("--url", metavar="URL", help="a server on this machine, such as http://127.0.0.1:30000")
    parser.add_argument("--api-key-variable", metavar="NAME", help="the environment variable that holds the API key")
    parser.add_argument("--release", metavar="RELEASE", help="the release that ran (a log does not say it)")
    parser.add_argument("--write", action="store_true", help="write it to hosts/<host>/facts.yaml")
    add_format(parser, ("text", "json"))
    add_root(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, compare, write."""
    from sgfleet.cli.facts_file import FactsFile, moment
    from sgfleet.cli.prediction import prediction
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.observe.compare import rows
    from sgfleet.observe.fetch import FetchError

    root = root_of(arguments)
    host, service = _service(arguments.service, root)
    file = FactsFile(root, host)
    try:
        measured, how = _measured(arguments, service)
    except FetchError as error:
        raise UsageError(error.message, error.help) from None
    if measured is None or not (measured.figures() or measured.failure):
        print("error: nothing in it is of a start of SGLang", file=sys.stderr)
        return FINDINGS
    _with_release(measured, arguments.release, host, service, root)
    known = (file.known.get("observed") or {}).get(service) or {}
    predicted, reason = prediction(Workspace(root), host, service)
    if reason is not None:
        measured.notes.append(f"nothing is predicted: {reason}")
    table = rows(measured.figures(), known, predicted)
    good = measured.ready and measured.failure is None
    written = None
    if arguments.write and good:
        if measured.release is None:
            raise UsageError("nobody says which release ran", "give --release, such as --release 0.5.9")
        exact = {"load-seconds-at-least"} if measured.load_seconds is not None else set()
        if lost := [row.name for row in table if row.found is None and row.known is not None and row.name not in exact]:
            measured.notes.append(f"of the start that the facts had these figures go: {', '.join(lost)}")
        file.write(file.with_observed(service, measured.facts(moment(), how)))
        written = file.path
    elif arguments.write:
        measured.notes.append("nothing is written: only a start that came up says what memory it takes")
    _report(arguments, f"{host}/{service}", measured, table, how, written)
    return OK if good else FINDINGS


def _service(target: str, root: Path) -> tuple[str, str]:
    from sgfleet.fleet.workspace import Workspace

    host, slash, service = target.partition("/")
    repository = Workspace(root).repository
    if not slash or not service:
        raise UsageError(f"{target!r} names no service", "write HOST/SERVICE")
    if not repository.listed:
        raise FindingsError(repository.findings)
    if host not in repository.host_names:
        raise UsageError(f"there is no host {host!r}", near(host, repository.host_names))
    spec = repository.host(host)
    services = sorted({*spec.services, *spec.unresolved})
    if service not in services:
        help_ = near(service, services) or (f"its services are {', '.join(services)}" if services else None)
        raise UsageError(f"{host} has no service {service!r}", help_)
    return host, service


def _measured(arguments: argparse.Namespace, service: str) -> tuple[Measured | None, str]:
    from sgfleet.observe import fetch, server_info
    from sgfleet.observe.lines import read_lines
    from sgfleet.observe.log import measure

    if arguments.url is not None:
        data = fetch.server_info(arguments.url, _key(arguments.api_key_variable))
        return server_info.measure(data) if server_info.looks_like(data) else None, "/server_info"
    if arguments.journal:
        return measure(read_lines(fetch.journal(f"{service}.service"))), "journal"
    name = "standard input" if arguments.log == "-" else Path(arguments.log).name
    try:
        with sys.stdin.buffer if arguments.log == "-" else Path(arguments.log).open("rb") as stream:
            start = stream.read(_MOST_JSON_BYTES)
            data = _as_json(start)
            if data is not None:
                return server_info.measure(data) if server_info.looks_like(data) else None, "/server_info"
            return measure(read_lines(_chained(start, stream))), f"start-up log {_plain(name)}"
    except OSError as error:
        raise UsageError(f"{arguments.log} cannot be read: {(error.strerror or str(error)).lower()}") from None


def _key(variable: str | None) -> str | None:
    if variable is None:
        return None
    if not os.environ.get(variable):
        raise UsageError(f"the environment variable {variable} is not set, or empty")
    return os.environ[variable]


def _as_json(raw: bytes) -> dict[str, Any] | None:
    """An answer of /server_info that was saved to a file; None for a log, also for one of JSON lines."""
    if not raw.lstrip().startswith(b"{"):
        return None
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) and "MESSAGE" not in data and "log" not in data else None


def _chained(start: bytes, stream: Any) -> Iterator[bytes]:
    """The lines of what was read already, and then of the rest."""
    lines = start.split(b"\n")
    rest = lines.pop() + stream.readline()
    yield from lines
    yield rest
    yield from stream


def _plain(name: str) -> str:
    return "".join(each for each in name if each.isprintable())[:200]


def _with_release(measured: Measured, given: str | None, host: str, service: str, root: Path) -> None:
    """The release: what the server says, else what the caller says, else what the specification says."""
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.observe.observation import release_of

    if given is not None and release_of(given) is None:
        raise UsageError(f"{given!r} is no release", "such as 0.5.9 or 0.5.8.post1")
    specified = Workspace(root).repository.host(host).services.get(service)
    if measured.release is None and given is None and specified is not None:
        measured.release = specified.service.release
        measured.notes.append(f"the log names no release: {specified.service.release} is what the specification says")
    elif given is not None and measured.release not in (None, given):
        raise UsageError(f"the server says that it is {measured.release}, and --release says {given}")
    measured.release = measured.release or given
    if specified is not None and measured.release != specified.service.release:
        measured.notes.append(f"{measured.release} ran, and the specification says {specified.service.release}")


def _report(
    arguments: argparse.Namespace, name: str, measured: Measured, table: list[Row], how: str, written: str | None
) -> None:
    if arguments.format == "json":
        answer = {
            "format": 1,
            "service": name,
            "release": measured.release,
            "source": how,
            "ready": measured.ready,
            "failure": measured.failure,
            "figures": {
                row.name: {"found": row.found, "facts": row.known, "predicted": row.predicted} for row in table
            },
            "settings": measured.settings,
            "notes": measured.notes,
            "written": written,
        }
        print(json_text(answer, indent=2))
    else:
        print(f"{name}: {measured.release or 'release unknown'}, from {how}")
        for line in _lines(table):
            print(f"  {line}")
    for note in measured.notes:
        print(f"note: {note}", file=sys.stderr)
    if measured.failure is not None:
        print(f"error: the start failed: {measured.failure}", file=sys.stderr)
    elif not measured.ready:
        print("error: no line says that the server is ready", file=sys.stderr)
    if written is not None:
        print(f"wrote {written}", file=sys.stderr)


def _lines(table: list[Row]) -> Iterable[str]:
    columns = [("", [row.label for row in table]), ("found", [_shown(row.found) for row in table])]
    columns.append(("in the facts", [_shown(row.known) for row in table]))
    if any(row.predicted is not None for row in table):
        columns.append(("predicted", [_shown(row.predicted) for row in table]))
    widths = [max(map(len, [head, *cells])) for head, cells in columns]
    for cells in zip(*([head, *cells] for head, cells in columns), strict=True):
        first, *others = cells
        figures = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        yield "  ".join([first.ljust(widths[0]), *figures]).rstrip()


def _shown(value: int | float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
