"""Of one code in one file only the first findings are shown: three thousand unknown flags are one mistake of a program,
and whoever reads them wants to see what else there is. The units of a host count as one file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sgfleet.findings import Finding, Severity

MOST: Final = 20
"""Findings of a code in a file that are shown, of each severity: no note is in the way of an error."""


class Left(NamedTuple):
    """How many findings of a code were not shown: in a file, or in a host's folder of units."""

    severity: Severity
    code: str
    path: str
    number: int


class Few:
    """Counts what is shown, and what is not."""

    def __init__(self) -> None:
        self._seen: dict[tuple[Severity, str, str], int] = {}

    def takes(self, finding: Finding) -> bool:
        """Whether this one is to be shown."""
        key = (finding.severity, finding.code, _group(finding.place.path))
        seen = self._seen[key] = self._seen.get(key, 0) + 1
        return seen <= MOST

    def left(self, is_done: Callable[[str], bool] = bool) -> Iterator[Left]:
        """What was not shown, of the files of which nothing more will come. They are forgotten."""
        for key in [each for each in self._seen if is_done(each[2])]:
            if (number := self._seen.pop(key) - MOST) > 0:
                yield Left(*key, number)


def _group(path: str) -> str:
    return "/".join(path.split("/")[:2]) if path.startswith("units/") else path
