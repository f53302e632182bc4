"""Findings that say the same of the same place for many services: a default is wrong once, not ten thousand times."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgfleet.findings import Finding


class Repeated(NamedTuple):
    """A finding, and for how many more services the very same is true."""

    finding: Finding
    more: int


def is_shared(path: str) -> bool:
    """Whether findings in a file may come from several hosts."""
    return not path.startswith("hosts/")


class Repeats:
    """Tells the first of equal findings from the rest.

    Equal findings in a host's own file are counted at once. Those in a file that hosts share can come from any host yet
    to be read: the first is shown when it comes, and the rest is counted until the end.
    """

    def __init__(self) -> None:
        self._shared: dict[tuple[object, ...], Repeated] = {}

    def of_host(self, findings: Iterable[Finding]) -> Iterator[Repeated]:
        """The findings of one host that are to be shown. Waived ones are not."""
        own: dict[tuple[object, ...], Repeated] = {}
        for finding in findings:
            if finding.waived is not None:
                continue
            place = finding.place
            key = (finding.code, place.path, place.line, place.column, finding.severity, finding.message)
            shared = is_shared(place.path)
            known = self._shared if shared else own
            if key in known:
                known[key] = Repeated(known[key].finding, known[key].more + 1)
            else:
                known[key] = Repeated(finding, 0)
                if shared:
                    own[key] = known[key]
        return iter(own.values())

    def at_end(self) -> Iterator[Repeated]:
        """The findings in shared files that turned out to hold for more services."""
        return (each for each in self._shared.values() if each.more)
