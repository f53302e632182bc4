"""Findings for a program: one JSON document, versioned, one finding a line.

`format` changes when a reader of the old form would go wrong; new keys do not change it. The document's
schema is schema/output/check.schema.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TextIO

from sgfleet.output.json_answer import json_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgfleet.findings import Finding, Place
    from sgfleet.output.summary import Failure, Summary

FORMAT: Final = 1


class Json:
    """Writes the document as the findings come."""

    def __init__(self, stream: TextIO, version: str) -> None:
        self._stream = stream
        self._version = version
        self._separator = ""

    def begin(self) -> None:
        """The head."""
        head = {"format": FORMAT, "tool": {"name": "sgfleet", "version": self._version}}
        self._stream.write(f'{_dump(head)[:-1]}, "findings": [')

    def add(self, findings: Sequence[Finding]) -> None:
        """The findings of one host, waived ones too."""
        for finding in findings:
            self._stream.write(f"{self._separator}\n{_dump(as_data(finding))}")
            self._separator = ","

    def end(self, summary: Summary, failures: Sequence[Failure], /) -> None:
        """The tail: rules that broke, and the numbers."""
        broken = [{"code": each.code, "subject": each.subject, "error": each.error} for each in failures]
        numbers = {
            "hosts": summary.hosts,
            "services": summary.services,
            "hosts_with_findings": summary.hosts_with_findings,
            "errors": summary.errors,
            "warnings": summary.warnings,
            "notes": summary.notes,
            "waived": summary.waived,
        }
        self._stream.write(f'\n], "failures": {_dump(broken)}, "summary": {_dump(numbers)}}}\n')


def as_data(finding: Finding) -> dict[str, Any]:
    """One finding with every key; what is not known is null."""
    return {
        "code": finding.code,
        "severity": str(finding.severity),
        "message": finding.message,
        "host": finding.host,
        "service": finding.service,
        "place": _place(finding.place),
        "route": list(finding.route),
        "arithmetic": list(finding.arithmetic),
        "help": finding.help,
        "based_on": list(finding.based_on),
        "related": [{"place": _place(place), "message": words} for place, words in finding.related],
        "waived": finding.waived,
    }


def _place(place: Place) -> dict[str, Any]:
    """A whole file has no lines: null."""
    return {
        "path": place.path,
        "line": place.line or None,
        "column": place.column or None,
        "end_line": place.end_line or None,
        "end_column": place.end_column or None,
        "text": place.text,
    }


def _dump(data: Any) -> str:
    # ASCII only: whatever stands in somebody's file, the document passes every terminal and encoding unchanged.
    return json_text(data)
