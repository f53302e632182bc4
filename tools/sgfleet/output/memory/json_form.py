"""The budgets for programs: bytes as whole numbers, the form versioned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sgfleet.output.json_answer import json_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgfleet.memory.lines import Line
    from sgfleet.memory.verdict import Statement
    from sgfleet.output.memory.report import HostReport, Row, ServiceReport

FORMAT: Final = 1


def as_json(reports: Iterable[HostReport]) -> str:
    """All reports in one document."""
    return json_text({"format": FORMAT, "hosts": [_host(report) for report in reports]}, indent=2) + "\n"


def _host(report: HostReport) -> dict[str, Any]:
    return {
        "host": report.host,
        "changed": report.changed,
        "services": [_service(service) for service in report.services],
        "ram": _rows(report.ram),
        "statements": _statements(report.statements),
        "notes": list(report.notes),
        "unjudged": list(report.unjudged),
    }


def _service(service: ServiceReport) -> dict[str, Any]:
    if service.unknown is not None:
        said = _statements(service.statements)
        return {"service": service.name, "unknown": service.unknown, "help": service.help, "statements": said}
    return {
        "service": service.name,
        "gpu": _rows(service.gpu),
        "host_pools": _rows(service.host),
        "figures": {name: {"now": before, "after": after} for name, before, after in service.figures},
        "statements": _statements(service.statements),
        "notes": list(service.notes),
        "unjudged": list(service.unjudged),
    }


def _rows(rows: Iterable[Row]) -> list[dict[str, Any]]:
    return [{"part": row.name, "now": _line(row.before), "after": _line(row.after)} for row in rows]


def _line(line: Line | None) -> dict[str, Any] | None:
    if line is None:
        return None
    return {"bytes": line.bytes, "origin": line.origin, "error_bytes": line.error_bytes, "detail": line.detail}


def _statements(statements: Iterable[Statement]) -> list[dict[str, Any]]:
    return [
        {
            "weight": each.weight,
            "text": each.text,
            "help": each.help,
            "code": each.code,
            "arithmetic": list(each.arithmetic),
        }
        for each in statements
    ]
