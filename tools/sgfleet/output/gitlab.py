"""Findings as GitLab's code quality report: a merge request shows those that are new beside their lines."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, TextIO

from sgfleet.output.json_answer import json_text
from sgfleet.output.sarif import fingerprint
from sgfleet.output.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgfleet.findings import Finding
    from sgfleet.output.summary import Failure, Summary

_SEVERITY: Final = {"error": "critical", "warning": "minor", "note": "info"}


class GitLab:
    """Writes the array as the findings come. Waived ones are not shown: the report has no word for them."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._separator = ""
        self._seen: Counter[str] = Counter()

    def begin(self) -> None:
        """Open the array."""
        self._stream.write("[")

    def add(self, findings: Sequence[Finding]) -> None:
        """The findings of one host."""
        for finding in findings:
            if finding.waived is not None:
                continue
            print_ = fingerprint(finding)
            self._seen[print_] += 1
            data = entry(finding, f"{print_}:{self._seen[print_]}")
            self._stream.write(f"{self._separator}\n{json_text(data)}")
            self._separator = ","

    def end(self, _summary: Summary, failures: Sequence[Failure], /) -> None:
        """Rules that broke are entries of the repository itself; then the array is closed."""
        for each in failures:
            data = {
                "description": f"the check failed on {each.subject}: {each.error}",
                "check_name": each.code or "sgfleet",
                "fingerprint": f"failure:{each.code}:{each.subject}:{each.error}",
                "severity": "blocker",
                "location": {"path": "fleet.yaml", "lines": {"begin": 1}},
            }
            self._stream.write(f"{self._separator}\n{json_text(data)}")
            self._separator = ","
        self._stream.write("\n]\n")


def entry(finding: Finding, print_: str) -> dict[str, Any]:
    """One entry; a whole file is shown at its first line."""
    parts = [finding.message, *finding.arithmetic]
    if finding.help is not None:
        parts.append(f"help: {finding.help}")
    return {
        "description": visible("; ".join(parts)),
        "check_name": finding.code,
        "fingerprint": print_,
        "severity": _SEVERITY[finding.severity],
        "location": {"path": finding.place.path, "lines": {"begin": finding.place.line or 1}},
    }
