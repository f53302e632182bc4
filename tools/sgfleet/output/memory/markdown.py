"""The budgets for a pull request: tables, and what they come to above them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.memory.lines import Line
    from sgfleet.output.memory.report import HostReport, Row

GIB: Final = 2**30


def as_markdown(report: HostReport) -> str:
    """One host."""
    return "\n".join(_host(report)) + "\n"


def _host(report: HostReport) -> Iterator[str]:
    yield f"## {report.host}"
    yield ""
    yield report.headline
    for statement in report.statements:
        yield ""
        yield f"**{statement.weight}**: {_safe(statement.text)}"
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
            yield f"not computed: {_safe(service.unknown)}"
            continue
        for statement in service.statements:
            yield ""
            yield f"**{statement.weight}**: {_safe(statement.text)}"
        yield ""
        yield from _table("GPU of a rank", service.gpu, changed=report.changed)
        if service.host:
            yield ""
            yield from _table("host pools", service.host, changed=report.changed)


def _table(title: str, rows: tuple[Row, ...], *, changed: bool) -> Iterator[str]:
    yield f"| {title}, GiB | now |{' after |' if changed else ''} |"
    yield f"|---|---:|{'---:|' if changed else ''}---|"
    for row in rows:
        after = f" {_number(row.after)} |" if changed else ""
        yield f"| {_safe(row.shown.label)} | {_number(row.before)} |{after} {_safe(row.shown.detail)} |"


def _number(line: Line | None) -> str:
    return "-" if line is None else f"{line.bytes / GIB:,.2f}"


def _safe(text: str) -> str:
    """Text that stays text in a table cell."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
