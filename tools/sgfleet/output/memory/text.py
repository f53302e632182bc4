"""The budgets on a terminal: a table with a bar for each part, and what they come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.memory.lines import Line
    from sgfleet.memory.verdict import Statement
    from sgfleet.output.colour import Paint
    from sgfleet.output.memory.report import HostReport, Row, ServiceReport

GIB: Final = 2**30
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
        yield _header("RAM of the host", report, paint)
        yield from _table(report.ram, report, paint)
    for statement in report.statements:
        yield from _statement(statement, paint)
    for note in report.notes:
        yield f"  {paint('faint', note)}"


def _service(service: ServiceReport, report: HostReport, paint: Paint) -> Iterator[str]:
    yield f"{paint('strong', service.name)}  {service.headline}"
    if service.unknown is not None:
        yield f"  {paint('note', 'not computed')}: {service.unknown}"
        if service.help is not None:
            yield f"  {paint('help', 'help')}: {service.help}"
        return
    yield _header("GPU of a rank", report, paint)
    yield from _table(service.gpu, report, paint)
    if service.host:
        yield _header("host pools", report, paint)
        yield from _table(service.host, report, paint)
    for name, before, after in service.figures:
        values = before if after is None or after == before else f"{before} → {after}"
        yield f"  {name:<{LABEL}}{values}"
    for statement in service.statements:
        yield from _statement(statement, paint)
    for note in service.notes:
        yield f"  {paint('faint', 'assumed: ' + note)}"


def _header(title: str, report: HostReport, paint: Paint) -> str:
    columns = f"{'now':>{NUMBER}}" + (f"{'after':>{NUMBER + 2}}" if report.changed else "")
    return paint("faint", f"  {title + ', GiB':<{LABEL}}{columns}")


def _table(rows: tuple[Row, ...], report: HostReport, paint: Paint) -> Iterator[str]:
    most = max((line.bytes for row in rows for line in (row.before, row.after) if line is not None), default=1)
    for row in rows:
        shown = row.shown
        cells = _number(row.before)
        if report.changed:
            cells += "  " + _number(row.after)
        bar = _bar(shown.bytes, most)
        detail = _detail(shown)
        line = f"  {shown.label:<{LABEL}}{cells}  {bar:<{BAR}}"
        if report.changed and row.changed:
            line = paint("strong", line)
        yield f"{line}  {paint('faint', detail)}".rstrip()


def _number(line: Line | None) -> str:
    return f"{'-' if line is None else f'{line.bytes / GIB:,.2f}':>{NUMBER}}"


def _detail(line: Line) -> str:
    words = [line.detail] if line.detail else []
    if line.origin == "estimated":
        words.append(f"estimated ± {line.error_bytes / GIB:,.2f}" if line.error_bytes else "estimated")
    elif line.origin == "measured" and line.name != "card":
        words.append("measured")
    return "; ".join(words)


def _bar(size: int, most: int) -> str:
    eighths = round(max(0, size) / max(1, most) * BAR * 8)
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (EIGHTHS[rest] if rest else "")


def _statement(statement: Statement, paint: Paint) -> Iterator[str]:
    yield f"  {paint(statement.weight, statement.weight)}: {statement.text}"
    if statement.help is not None and statement.weight != "note":
        yield f"  {paint('help', 'help')}: {statement.help}"
