"""The names under `flags:` and `secrets:` that the release does not declare, sorted by what is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sgfleet.engine.meant import meant_by
from sgfleet.rules.quoting import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sgfleet.engine.meant import Fault
    from sgfleet.rules.rule import Route, ServiceView


class Name(NamedTuple):
    """A name that is not declared.

    `meant` is what it stands for: the flag that is declared for "dashes" and "underscores", all flags that begin with
    it for "abbreviation", those that come near for "unknown".
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
                yield Name(written, (mapping, written), *meant_by(release, written))


def instead(view: ServiceView, written: str, meant: Sequence[str], help_: str) -> str:
    """What to do about a name that stands for `meant`: `help_`, unless the service gives that flag already."""
    service, release = view.service, view.release
    if release is None:
        return help_
    meant_dests = {release.by_name[each].dest for each in meant if each in release.by_name}
    for name in (*service.flags, *service.secrets):
        if name in release.by_name and len(meant_dests) == 1 and release.by_name[name].dest in meant_dests:
            return f"remove {quoted(written)}: {name} is given already"
    return help_
