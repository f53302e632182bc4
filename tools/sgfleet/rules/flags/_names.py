"""The names under `flags:` and `secrets:` that the release does not declare, sorted by what is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sgfleet.engine.meant import meanings
from sgfleet.rules.quoting import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sgfleet.engine.meant import Fault
    from sgfleet.rules.rule import Route, ServiceView


class Name(NamedTuple):
    """A name that is not declared.

    `meant` is what it stands for: the flag that is declared for "dashes" and "underscores", all flags that begin with
    it for "abbreviation", those that come near for "unknown", where it was `compared`.
    """

    written: str
    route: Route
    fault: Fault
    meant: tuple[str, ...]
    compared: bool


def undeclared(view: ServiceView) -> Iterator[Name]:
    """Every name of the service that its release does not declare; nothing where there is no schema."""
    release, service = view.release, view.service
    if release is None:
        return
    found = meanings(release, (*service.flags, *service.secrets))
    for mapping, names in (("flags", service.flags), ("secrets", service.secrets)):
        if not found or names.keys() <= release.by_name.keys():
            continue
        for written in names:
            if written in found:
                yield Name(written, (mapping, written), *found[written])


def instead(view: ServiceView, written: str, meant: Sequence[str], help_: str) -> str:
    """What to do about a name that stands for `meant`: `help_`, unless the service gives that flag already."""
    service, release = view.service, view.release
    if release is None:
        return help_
    meant_dests = {release.by_name[each].dest for each in meant if each in release.by_name}
    if len(meant_dests) == 1:
        for name, flag in release.by_name.items():  # its names are fewer than a service's can be
            if flag.dest in meant_dests and (name in service.flags or name in service.secrets):
                return f"remove {quoted(written)}: {name} is given already"
    return help_
