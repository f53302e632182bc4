"""The budgets for a pull request: tables, and what they come to above them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.memory.units import GIB
from sgfleet.output.memory.report import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.memory.lines import Line
    from sgfleet.memory.verdict import Statement
    from sgfleet.output.memory.report import HostReport, Row, ServiceReport


def as_markdown(report: HostReport) -> str:
    """One host."""
    return "\n".join(_host(report)) + "\n"


def _host(report: HostReport) -> Iterator[str]:
    yield f"## {report.host}"
    yield ""
    yield report.headline
    yield from _said(report.statements, report.unjudged, report.notes)
    if report.ram:
        yield ""
        yield from _table("RAM of the host", report.ram, changed=report.changed)
    for service in report.services:
        yield ""
        yield f"### {service.name}"
        yield ""
        yield _safe(service.headline)
        if service.unknown is not None:
            yield ""
            yield f"not computed: {_safe(service.unknown)}" + (f" ({_safe(service.help)})" if service.help else "")
            yield from _said(service.statements, (), ())
            continue
        yield from _said(service.statements, service.unjudged, service.notes)
        yield ""
        yield from _figures(service, changed=report.changed)
        yield ""
        yield from _table("GPU of a rank", service.gpu, changed=report.changed)
        if service.host:
            yield ""
            yield from _table("host pools", service.host, changed=report.changed)


def _said(statements: tuple[Statement, ...], unjudged: tuple[str, ...], notes: tuple[str, ...]) -> Iterator[str]:
    if statements or unjudged or notes:
        yield ""
    for statement in statements:
        code = f" {statement.code}" if statement.code is not None else ""
        yield f"- **{statement.weight}**{code}: {_safe(statement.text)}"
        for line in statement.arithmetic:
            yield f"  - {_safe(line)}"
        if statement.help is not None and statement.weight != "note":
            yield f"  - {_safe(statement.help)}"
    for part in unjudged:
        yield f"- **not judged**: {_safe(part)}"
    for note in notes:
        yield f"- {_safe(note)}"


def _figures(service: ServiceReport, *, changed: bool) -> Iterator[str]:
    yield f"| | now |{' after |' if changed else ''}"
    yield f"|---|---|{'---|' if changed else ''}"
    for name, before, after in service.figures:
        yield f"| {name} | {_safe(before)} |" + (f" {_safe(after or '')} |" if changed else "")


def _table(title: str, rows: tuple[Row, ...], *, changed: bool) -> Iterator[str]:
    yield f"| {title}, GiB | now |{' after |' if changed else ''} |"
    yield f"|---|---:|{'---:|' if changed else ''}---|"
    for row in rows:
        after = f" {_number(row.after)} |" if changed else ""
        yield f"| {_safe(row.shown.label)} | {_number(row.before)} |{after} {_safe(words_of(row.shown))} |"


def _number(line: Line | None) -> str:
    return "-" if line is None else f"{line.bytes / GIB:,.2f}"


def _safe(text: str) -> str:
    """Text that stays text in a table cell."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
