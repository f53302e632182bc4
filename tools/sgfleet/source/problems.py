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
ALIAS: Final = "SRC018"
MERGE_KEY: Final = "SRC019"
LOOK_ALIKE: Final = "SRC020"
CONFLICT_MARKER: Final = "SRC021"
MISSING: Final = "SRC022"
NO_REGULAR_FILE: Final = "SRC023"
TOO_MANY: Final = "SRC024"

_LONGEST_QUOTED: Final = 60


class SourceError(Exception):
    """A file that cannot be used; the findings say why, each with a place."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__("; ".join(finding.message for finding in findings))
        self.findings = tuple(findings)


def problem(
    code: str, message: str, place: Place, help_: str | None = None, related: Sequence[tuple[Place, str]] = ()
) -> Finding:
    """An error about the form of a file."""
    return Finding(code, Severity.ERROR, message, place, help=help_, related=tuple(related))


def cut(words: str) -> str:
    """Somebody's text for a sentence: in one line, and no longer than a line can take."""
    line = " ".join(words.split())
    return line if len(line) <= _LONGEST_QUOTED else f"{line[:_LONGEST_QUOTED]}..."
