"""The names under `flags:` and `secrets:` that the release does not declare, sorted by what is wrong with them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.engine.release import Release
    from sgfleet.rules.rule import Route, ServiceView

Fault = Literal["dashes", "underscores", "abbreviation", "unknown"]


class Name(NamedTuple):
    """A name that is not declared.

    `meant` is what it stands for: the flag that is declared for "dashes" and "underscores", all flags that begin with
    it for "abbreviation", nothing for "unknown".
    """

    written: str
    route: Route
    fault: Fault
    meant: tuple[str, ...]


def undeclared(view: ServiceView) -> Iterator[Name]:
    """Every name of the service that its release does not declare; nothing where there is no schema."""
    release, service = view.release, view.service
    if release is None:
        return
    declared = release.by_name
    for mapping, names in (("flags", service.flags), ("secrets", service.secrets)):
        if names.keys() <= declared.keys():
            continue
        for written in names:
            if written not in declared:
                yield Name(written, (mapping, written), *_fault(release, written))


def _fault(release: Release, written: str) -> tuple[Fault, tuple[str, ...]]:
    declared = release.by_name
    bare = written.lstrip("-")
    dashed = bare.replace("_", "-")
    if dashed in declared:
        return ("underscores" if dashed != bare else "dashes"), (dashed,)
    if meant := _begun(tuple(declared), dashed):
        return "abbreviation", meant
    return "unknown", ()


@cache
def _begun(declared: tuple[str, ...], start: str) -> tuple[str, ...]:
    return tuple(name for name in declared if start and name.startswith(start))
