"""The budgets on a terminal: a table with a bar for each part, and what they come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.memory.units import GIB
from sgfleet.output.memory.report import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.memory.lines import Line
    from sgfleet.memory.verdict import Statement
    from sgfleet.output.colour import Paint
    from sgfleet.output.memory.report import HostReport, Row, ServiceReport

BAR: Final = 24
EIGHTHS: Final = " ▏▎▍▌▋▊▉"
LABEL: Final = 26
NUMBER: Final = 10


def as_text(report: HostReport, paint: Paint) -> str:
    """The whole report of a host."""
    return "\n".join(_host(report, paint)) + "\n"


def _host(report: HostReport, paint: Paint) -> Iterator[str]:
    yield f"{paint('strong', report.host)}  {report.headline}"
    for service in report.services:
        yield ""
        yield from _service(service, report, paint)
    if report.ram:
        yield ""
        yield from _table("RAM of the host", report.ram, report, paint)
    for statement in report.statements:
        yield from _statement(statement, paint)
    yield from _unjudged(report.unjudged, paint)
    for note in report.notes:
        yield f"  {paint('faint', note)}"


def _service(service: ServiceReport, report: HostReport, paint: Paint) -> Iterator[str]:
    yield f"{paint('strong', service.name)}  {service.headline}".rstrip()
    if service.unknown is not None:
        yield f"  {paint('note', 'not computed')}: {service.unknown}"
        if service.help is not None:
            yield f"  {paint('help', 'help')}: {service.help}"
        for statement in service.statements:
            yield from _statement(statement, paint)
        return
    yield from _table("GPU of a rank", service.gpu, report, paint)
    if service.host:
        yield from _table("host pools", service.host, report, paint)
    for name, before, after in service.figures:
        values = before if after is None or after == before else f"{before} → {after}"
        yield f"  {name:<{LABEL}}{values}"
    for statement in service.statements:
        yield from _statement(statement, paint)
    yield from _unjudged(service.unjudged, paint)
    for note in service.notes:
        yield f"  {paint('faint', note)}"


def _table(title: str, rows: tuple[Row, ...], report: HostReport, paint: Paint) -> Iterator[str]:
    most = max((line.bytes for row in rows for line in (row.before, row.after) if line is not None), default=1)
    width = max(NUMBER, *(len(_number(line)) for row in rows for line in (row.before, row.after)))
    columns = f"{'now':>{width}}" + (f"  {'after':>{width}}" if report.changed else "")
    yield paint("faint", f"  {title + ', GiB':<{LABEL}}{columns}")
    for row in rows:
        shown = row.shown
        cells = f"{_number(row.before):>{width}}"
        if report.changed:
            cells += f"  {_number(row.after):>{width}}"
        bar = _bar(shown.bytes, most)
        line = f"  {shown.label:<{LABEL}}{cells}  {bar:<{BAR}}"
        if report.changed and row.changed:
            line = paint("strong", line)
        yield f"{line}  {paint('faint', words_of(shown))}".rstrip()


def _number(line: Line | None) -> str:
    return "-" if line is None else f"{line.bytes / GIB:,.2f}"


def _bar(size: int, most: int) -> str:
    eighths = round(max(0, size) / max(1, most) * BAR * 8)
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (EIGHTHS[rest] if rest else "")


def _unjudged(parts: tuple[str, ...], paint: Paint) -> Iterator[str]:
    for part in parts:
        yield f"  {paint('warning', 'not judged')}: {part}"


def _statement(statement: Statement, paint: Paint) -> Iterator[str]:
    code = f"[{statement.code}]" if statement.code is not None else ""
    yield f"  {paint(statement.weight, statement.weight + code)}: {statement.text}"
    for line in statement.arithmetic:
        yield f"    = {line}"
    if statement.help is not None and statement.weight != "note":
        yield f"  {paint('help', 'help')}: {statement.help}"
