"""A name that a release does not declare, and the flags that whoever wrote it may have meant.

One mistake is one finding: what else is checked of a service goes on with the flag that is meant where there is no
doubt about it, and keeps silent about the flags that may be.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from sgfleet.engine.argv.near import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.engine.flag import Flag
    from sgfleet.engine.release import Release

Fault = Literal["dashes", "underscores", "abbreviation", "unknown"]


_FEW: Final = 6
"""A word of so many names, as `ratio`, is a part of one of them."""


class Meant(NamedTuple):
    """`names` are declared ones: the flag itself for "dashes" and "underscores", all that begin so for "abbreviation",
    those that come near, the nearest first, for "unknown"."""

    fault: Fault
    names: tuple[str, ...]


def meant_by(release: Release, written: str) -> Meant:
    """What is wrong with a name that the release does not declare, and what it may stand for."""
    declared = release.by_name
    bare = written.lstrip("-")
    dashed = bare.replace("_", "-")
    if dashed in declared:
        return Meant("underscores" if dashed != bare else "dashes", (dashed,))
    if begun := _begun(tuple(declared), dashed):
        return Meant("abbreviation", begun)
    word = dashed.lower()
    if word in declared:
        return Meant("unknown", (word,))
    if is_variable(written):
        return Meant("unknown", ())
    holding = tuple(name for name in declared if word in name.split("-"))
    return Meant("unknown", holding if 0 < len(holding) <= _FEW else tuple(nearest(word, declared)))


def is_variable(written: str) -> bool:
    """Whether a name looks like an environment variable's."""
    return "_" in written and written.isupper()


def flag_of(release: Release, written: str) -> tuple[Flag | None, frozenset[str]]:
    """(the flag that a name is, in whatever spelling; where that is not sure, the destinations of those it may be)."""
    declared = release.by_name.get(written)
    if declared is not None:
        return declared, frozenset()
    found = meant_by(release, written)
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
    for name in flags:
        if name in declared:
            continue
        flag, may_be = flag_of(release, name)
        doubtful.update({dest: name for dest in may_be if dest not in given})
        if flag is not None and flag.dest not in given:
            named[flag.name] = flags[name]
    return named, doubtful


@cache
def _begun(declared: tuple[str, ...], start: str) -> tuple[str, ...]:
    return tuple(name for name in declared if start and name.startswith(start))
