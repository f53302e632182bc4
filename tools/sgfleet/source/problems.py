"""What the reader reports: codes, and findings that stop a file from being used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgfleet.findings import Place

SYNTAX: Final = "SRC001"
DUPLICATE_KEY: Final = "SRC002"
ANCHOR: Final = "SRC003"
TAG: Final = "SRC004"
SEVERAL_DOCUMENTS: Final = "SRC005"
TAB: Final = "SRC006"
BYTE_ORDER_MARK: Final = "SRC007"
NOT_UTF8: Final = "SRC008"
TOO_DEEP: Final = "SRC009"
TOO_LARGE: Final = "SRC010"
KEY_NO_TEXT: Final = "SRC011"
NO_MAPPING: Final = "SRC012"
CONTROL_CHARACTER: Final = "SRC013"
NUMBER_RANGE: Final = "SRC014"
UNREADABLE: Final = "SRC015"
SYMLINK: Final = "SRC016"
DIRECTIVE: Final = "SRC017"


class SourceError(Exception):
    """A file that cannot be used; the findings say why, each with a place."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__("; ".join(finding.message for finding in findings))
        self.findings = tuple(findings)


def problem(code: str, message: str, place: Place, help_: str | None = None) -> Finding:
    """An error about the form of a file."""
    return Finding(code=code, severity=Severity.ERROR, message=message, place=place, help=help_)
