"""What a check came to, in numbers and in one line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from sgfleet.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sgfleet.findings import Finding

NO_FINDINGS: Final = "no findings"


@dataclass(slots=True)
class Summary:
    """Findings by severity; waived ones count apart. `failures` are rules of ours that broke: verdicts are missing.

    `sound` is what may be said where nothing was found, by who looked.
    """

    hosts: int = 0
    services: int = 0
    errors: int = 0
    warnings: int = 0
    notes: int = 0
    waived: int = 0
    hosts_with_findings: int = 0
    failures: int = 0
    sound: str = NO_FINDINGS
    _found_in: set[str] = field(default_factory=set)

    def count(self, findings: Iterable[Finding]) -> None:
        """Add findings, of one host or of several, or of what belongs to none."""
        for finding in findings:
            if finding.waived is not None:
                self.waived += 1
                continue
            if finding.severity is Severity.ERROR:
                self.errors += 1
            elif finding.severity is Severity.WARNING:
                self.warnings += 1
            else:
                self.notes += 1
            if finding.host is not None:
                self._found_in.add(finding.host)
        self.hosts_with_findings = len(self._found_in)

    @property
    def clean(self) -> bool:
        """Whether nothing asks for a change: notes inform, and waived findings were looked at."""
        return not (self.errors or self.warnings or self.failures)

    def __str__(self) -> str:
        """`3 errors, 1 warning in 2 of 41 hosts (1 waived)`."""
        counts = ((self.errors, "error"), (self.warnings, "warning"), (self.notes, "note"))
        parts = [_counted(number, word) for number, word in counts if number]
        waived = f" ({self.waived:,} waived)" if self.waived else ""
        if not parts:
            return f"{self.sound} in {_counted(self.hosts, 'host')}, {_counted(self.services, 'service')}{waived}"
        if not self.hosts:
            return f"{', '.join(parts)}, and no host was looked at{waived}"
        if not self.hosts_with_findings:
            return f"{', '.join(parts)} in the files of the fleet, none in {_counted(self.hosts, 'host')}{waived}"
        return f"{', '.join(parts)} in {self.hosts_with_findings:,} of {_counted(self.hosts, 'host')}{waived}"


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


class Failure(NamedTuple):
    """A rule of ours that broke on one subject (`kimi-01/sglang-kimi`), and with which exception.

    Without a code it was no rule: nothing at all was checked there.
    """

    code: str | None
    subject: str
    error: str


class Writer(Protocol):
    """A form in which findings go to standard output."""

    def begin(self) -> None:
        """Before the first host."""

    def add(self, findings: Sequence[Finding]) -> None:
        """The findings of one host, in their order."""

    def end(self, summary: Summary, failures: Sequence[Failure], /) -> None:
        """After the last host."""
