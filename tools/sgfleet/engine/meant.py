"""A name that a release does not declare, and the flags that whoever wrote it may have meant.

One mistake is one finding: what else is checked of a service goes on with the flag that is meant where there is no
doubt about it, and keeps silent about the flags that may be.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from sgfleet.engine.argv.near import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sgfleet.engine.flag import Flag
    from sgfleet.engine.release import Release

Fault = Literal["dashes", "underscores", "abbreviation", "unknown"]


_FEW: Final = 6
"""A word of so many names, as `ratio`, is a part of one of them."""
COMPARED: Final = 20
"""Unknown names of one service that are compared with those of the release."""


class Meant(NamedTuple):
    """`names` are declared ones: the flag itself for "dashes" and "underscores", all that begin so for "abbreviation",
    those that come near, the nearest first, for "unknown". `compared` is False where nobody looked for those."""

    fault: Fault
    names: tuple[str, ...]
    compared: bool = True


def meanings(release: Release, names: Iterable[str]) -> Mapping[str, Meant]:
    """Every name of one service that the release does not declare, in order -> what it may stand for.

    Only the first `COMPARED` unknown ones are compared with the release's. To compare one takes half a millisecond, a
    file of the largest size has room for tens of thousands, and nobody mistypes so many: such a file is another
    program's, or a key too many above its flags, and says so in its first names. What needs no comparison, as another
    spelling or a beginning, is said of all.
    """
    declared = release.by_name
    return _meanings(tuple(declared), tuple(name for name in names if name not in declared))


def meant_by(release: Release, written: str) -> Meant:
    """What is wrong with a name that the release does not declare, and what it may stand for."""
    return _meant(_named(tuple(release.by_name)), written)


@lru_cache(maxsize=64)
def _meanings(declared: tuple[str, ...], names: tuple[str, ...]) -> Mapping[str, Meant]:
    named = _named(declared)
    found: dict[str, Meant] = {}
    compared = 0
    for name in names:
        found[name] = _meant(named, name, compare=compared < COMPARED)
        compared += found[name].fault == "unknown"
    return found


def _meant(named: _Named, written: str, *, compare: bool = True) -> Meant:
    declared = named.place
    bare = written.lstrip("-")
    dashed = bare.replace("_", "-")
    if dashed in declared:
        return Meant("underscores" if dashed != bare else "dashes", (dashed,))
    if begun := named.begun(dashed):
        return Meant("abbreviation", begun)
    word = dashed.lower()
    if word in declared:
        return Meant("unknown", (word,))
    if is_variable(written):
        return Meant("unknown", ())
    holding = named.holding.get(word, ())
    if 0 < len(holding) <= _FEW:
        return Meant("unknown", tuple(holding))
    return Meant("unknown", tuple(nearest(word, declared))) if compare else Meant("unknown", (), compared=False)


class _Named:
    """The names that a release declares, kept so that none is looked for among all of them."""

    __slots__ = ("_sorted", "holding", "place")

    def __init__(self, declared: tuple[str, ...]) -> None:
        self.place = {name: place for place, name in enumerate(declared)}
        """Name -> where the release declares it."""
        self.holding: dict[str, list[str]] = {}
        """Word between dashes -> the names that it is a part of."""
        for name in declared:
            for word in dict.fromkeys(name.split("-")):
                self.holding.setdefault(word, []).append(name)
        self._sorted = sorted(declared)

    def begun(self, start: str) -> tuple[str, ...]:
        """The names that begin so, in the release's order; none for no beginning at all."""
        end = first = bisect_left(self._sorted, start)
        while start and end < len(self._sorted) and self._sorted[end].startswith(start):
            end += 1
        return tuple(sorted(self._sorted[first:end], key=self.place.__getitem__))


@lru_cache(maxsize=64)
def _named(declared: tuple[str, ...]) -> _Named:
    return _Named(declared)


def is_variable(written: str) -> bool:
    """Whether a name looks like an environment variable's."""
    return "_" in written and written.isupper()


def flag_of(release: Release, written: str, meant: Meant | None = None) -> tuple[Flag | None, frozenset[str]]:
    """(the flag that a name is, in whatever spelling; where that is not sure, the destinations of those it may be).

    `meant` is what `meanings` says of the name, where it was asked already.
    """
    declared = release.by_name.get(written)
    if declared is not None:
        return declared, frozenset()
    found = meant or meant_by(release, written)
    flags = {flag.dest: flag for flag in map(release.by_name.__getitem__, found.names)}
    if found.fault != "unknown" and len(flags) == 1:
        return next(iter(flags.values())), frozenset()
    return None, frozenset(flags)


def as_meant(release: Release, flags: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """The flags under declared names, and destination -> name for those that a name may stand for.

    A flag that is given under a declared name is what that says, whatever stands beside it.
    """
    declared = release.by_name
    if flags.keys() <= declared.keys():
        return flags, {}
    named = {name: value for name, value in flags.items() if name in declared}
    given = {declared[name].dest for name in named}
    doubtful: dict[str, str] = {}
    for name, meant in meanings(release, flags).items():
        flag, may_be = flag_of(release, name, meant)
        doubtful.update({dest: name for dest in may_be if dest not in given})
        if flag is not None and flag.dest not in given:
            named[flag.name] = flags[name]
    return named, doubtful
