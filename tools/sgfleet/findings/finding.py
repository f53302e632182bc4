"""One finding: what is wrong, where, why, and what to write instead."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sgfleet.findings.place import Place


class Severity(StrEnum):
    """How much a finding weighs. Only errors and warnings make `check` exit with 1; a note informs."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for the gravest, so that a sort puts errors first."""
        return ("error", "warning", "note").index(self.value)


class Finding(NamedTuple):
    """A message for a person, with the evidence.

    `message` is one line in lower case without a full stop that stands alone. `arithmetic` is how the verdict was
    reached, a line each. `help` is the only part that proposes a change, with the value that would work.
    `based_on` names what the verdict was decided from (a release's schema, a facts file, a policy key).
    `related` are other places that belong to the finding, each with a few words. `route` is the way to `place` inside
    its file, where there is one: it names the finding across edits that only move lines. `waived` is the reason with
    which the specification accepts the finding; such a finding counts for nothing and is still told to machines.
    """

    code: str
    severity: Severity
    message: str
    place: Place
    host: str | None = None
    service: str | None = None
    arithmetic: tuple[str, ...] = ()
    help: str | None = None
    based_on: tuple[str, ...] = ()
    related: tuple[tuple[Place, str], ...] = ()
    route: tuple[str | int, ...] = ()
    waived: str | None = None

    @property
    def order(self) -> tuple[str, int, int, int, str, str]:
        """Findings are shown file by file, from top to bottom, the graver first where two share a place."""
        return (self.place.path, self.place.line, self.place.column, self.severity.rank, self.code, self.message)
