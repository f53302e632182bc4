"""A rule that changed between releases: which form of it holds for a release, and where that was read."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

from sgfleet.engine import version

T = TypeVar("T")


class Era(NamedTuple, Generic[T]):
    """From release `since` on `value` holds.

    `source` is the module of the wheel that says so (below sglang/srt). `sign` is a regular expression that matches
    in that module from this release on and in no earlier release's: what the test against the wheels looks for.
    """

    since: str
    value: T
    source: str
    sign: str | None = None


class Rule(Generic[T]):
    """All forms of one rule, the oldest first. The first era holds for every older release as well."""

    def __init__(self, what: str, *eras: Era[T]) -> None:
        self.what = what
        self.eras = eras
        self._starts = [version.key(era.since) for era in eras]

    def era(self, release: str) -> Era[T]:
        """The era that a release is in."""
        return self.eras[max(0, bisect_right(self._starts, _key(release)) - 1)]

    def at(self, release: str) -> T:
        """The form of the rule that a release has."""
        return self.era(release).value


@lru_cache(maxsize=256)
def _key(release: str) -> tuple[int, ...]:
    return version.key(release)


def from_release(release: str, since: str) -> bool:
    """Whether a release is `since` or a later one."""
    return _key(release) >= _key(since)
