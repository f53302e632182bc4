"""What an environment variable changes about a release's flags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sgfleet.engine.extract.flags import ReadFlag
from sgfleet.engine.extract.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def compare(
    usual: Sequence[ReadFlag], switched: Mapping[str, Sequence[ReadFlag]]
) -> tuple[list[ReadFlag], dict[str, Mapping[str, tuple[Any, ...]]]]:
    """The flags as they are without any variable, and variable -> flag -> the choices that it has besides.

    `switched` holds the flags with one variable switched on, for each. A flag that differs in anything but more
    choices, or that is there in one case only, is opaque: nobody can judge it without the server's environment.
    """
    doubts: dict[tuple[str, ...], list[Unknown]] = {one.flag.options: [] for one in usual}
    taken = {option for one in usual for option in one.flag.options}
    besides: dict[tuple[str, ...], ReadFlag] = {}
    added: dict[str, Mapping[str, tuple[Any, ...]]] = {}
    for variable, flags in switched.items():
        others = {one.flag.options: one for one in flags}
        more: dict[str, tuple[Any, ...]] = {}
        for one in usual:
            other = others.pop(one.flag.options, None)
            if other is None:
                doubts[one.flag.options].append(Unknown(f"not there when {variable} is set"))
            elif _differs(one, other):
                doubts[one.flag.options].append(Unknown(f"depends on {variable}"))
            elif other.flag.choices != one.flag.choices:
                known = one.flag.choices or ()
                more[one.flag.name] = tuple(choice for choice in other.flag.choices or () if choice not in known)
        for options, other in others.items():
            if not taken.isdisjoint(options):
                continue  # the same flag under other names: it is in doubt already
            besides[options] = other
            doubts.setdefault(options, []).append(Unknown(f"only there when {variable} is set"))
        if more:
            added[variable] = more
    return [_doubted(one, doubts[one.flag.options]) for one in (*usual, *besides.values())], added


def _differs(one: ReadFlag, other: ReadFlag) -> bool:
    """Whether more than the number of choices is different."""
    choices, more = one.flag.choices, other.flag.choices
    if other.flag._replace(choices=choices) != one.flag:
        return True
    return (choices is None) != (more is None) or not set(choices or ()) <= set(more or ())


def _doubted(one: ReadFlag, doubts: list[Unknown]) -> ReadFlag:
    if not doubts:
        return one
    return ReadFlag(one.flag._replace(opaque=True), (*one.doubts, *doubts))
