"""Findings as workflow commands of GitHub Actions: each becomes an annotation at its line of the pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TextIO

from sgfleet.output.repeats import Repeats
from sgfleet.output.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgfleet.findings import Finding
    from sgfleet.output.summary import Failure, Summary

_COMMAND: Final = {"error": "error", "warning": "warning", "note": "notice"}


class GitHub:
    """Writes one command a finding."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._repeats = Repeats()

    def begin(self) -> None:
        """Nothing: a command stands alone."""

    def add(self, findings: Sequence[Finding]) -> None:
        """The findings of one host. Waived ones are not shown; of equal ones in a shared file only the first is."""
        for finding, _ in self._repeats.of_host(findings):
            self._stream.write(command(finding) + "\n")

    def end(self, _summary: Summary, _failures: Sequence[Failure], /) -> None:
        """Nothing: the summary goes to standard error."""


def command(finding: Finding) -> str:
    """`::error file=…,line=…::message`, in which nothing of the finding can end the command or begin another."""
    place = finding.place
    properties = {"file": place.path}
    if place.line:
        properties["line"] = str(place.line)
        properties["endLine"] = str(place.end_line)
        if place.line == place.end_line:  # GitHub knows columns within one line only
            properties["col"] = str(place.column)
            properties["endColumn"] = str(place.end_column)
    properties["title"] = finding.code
    lines = [finding.message, *finding.arithmetic]
    if finding.based_on:
        lines.append(f"from: {', '.join(finding.based_on)}")
    if finding.help is not None:
        lines.append(f"help: {finding.help}")
    if finding.service is not None:
        properties["title"] += f" {finding.host}/{finding.service}"
    head = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMAND[finding.severity]} {head}::{_data(chr(10).join(map(visible, lines)))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
