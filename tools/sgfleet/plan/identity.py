"""Which findings are the same on both sides: by what they say of whom, not by the line on which it stands."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgfleet.findings import Finding


class Compared(NamedTuple):
    """Findings of one side only, and those of both (as the newer side has them)."""

    new: tuple[Finding, ...]
    gone: tuple[Finding, ...]
    kept: tuple[Finding, ...]


def compare(before: Iterable[Finding], after: Iterable[Finding]) -> Compared:
    """A finding that only moved, or whose figures changed, is kept. Several alike are counted."""
    old, new = list(before), list(after)
    left = Counter(map(_identity, old))
    fresh, kept = [], []
    for each in new:
        if left[_identity(each)]:
            left[_identity(each)] -= 1
            kept.append(each)
        else:
            fresh.append(each)
    gone = []
    for each in old:
        if left[_identity(each)]:
            left[_identity(each)] -= 1
            gone.append(each)
    return Compared(tuple(fresh), tuple(gone), tuple(kept))


def _identity(finding: Finding) -> tuple[object, ...]:
    """A route names the place inside of its file across edits; without one the message has to."""
    about = finding.route or finding.message
    return (finding.code, finding.severity, finding.host, finding.service, finding.place.path, about)
