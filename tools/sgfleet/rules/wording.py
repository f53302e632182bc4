"""What rules say, in the names that the file has.

A rule asks for a setting by one of its names, and a release has it under several: `tp-size` is `tensor-parallel-size`.
Whoever reads a finding looks for the one that stands in the file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.engine.release import Release
    from sgfleet.rules.rule import Problem, ServiceView

ABOUT_NAMES: Final = ("FLG",)
"""Rules that speak of the names themselves."""


def in_words_of_the_file(problem: Problem, view: ServiceView) -> Problem:
    """The problem with each flag under the name that the service gives it."""
    written = _written(view)
    if not written:
        return problem
    # Words of one part, such as `model`, are words of the language as well.
    either = "|".join(map(re.escape, sorted(written, key=len, reverse=True)))
    pattern = re.compile(rf"(?<![\w/.-])({either})(?![\w/-])")

    def said(text: str) -> str:
        return pattern.sub(lambda match: written[match[1]], text)

    return problem._replace(
        message=said(problem.message),
        arithmetic=tuple(map(said, problem.arithmetic)),
        help=None if problem.help is None else said(problem.help),
    )


def _written(view: ServiceView) -> Mapping[str, str]:
    """Other names of the flags that are given -> the name that the service gives them."""
    release = view.release
    if release is None:
        return {}
    given = frozenset((*view.service.flags, *view.service.secrets))
    kept = _known.get(given)
    if kept is not None and kept[0] is release:
        return kept[1]
    found: dict[str, str] = {}
    for name in given:
        flag = release.by_name.get(name)
        if flag is not None and len(flag.names) > 1 and given.isdisjoint(each for each in flag.names if each != name):
            found |= {each: name for each in flag.names if each != name and "-" in each}
    if len(_known) >= _KEPT:
        _known.clear()
    _known[given] = release, found
    return found


_KEPT: Final = 128
_known: dict[frozenset[str], tuple[Release, Mapping[str, str]]] = {}
"""Flags that were given -> the release and what was found: hosts of a fleet share most of them."""
