"""The flags of one service as its release reads them: what rules about flags ask, worked out once a service."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sgfleet.engine import version as versions
from sgfleet.engine.argv.values import BadValueError, value_of
from sgfleet.engine.meant import flag_of, meanings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.engine.argv.values import Problem as BadValue
    from sgfleet.engine.flag import Flag
    from sgfleet.engine.release import Release
    from sgfleet.rules.rule import Route, ServiceView


class Given(NamedTuple):
    """A flag that a service gives: under which name, and what the server then holds (None for a secret)."""

    name: str
    flag: Flag
    value: Any
    route: Route


class Wrong(NamedTuple):
    """A declared flag with a value that it cannot have."""

    name: str
    flag: Flag
    problem: BadValue

    @property
    def route(self) -> Route:
        """The way to the value, or to the item of a list that is at fault."""
        item = () if self.problem.at is None else (self.problem.at,)
        return ("flags", self.name, *item)


_SECRET: Final = object()
"""The value of a flag that the environment of the host holds."""


class Arguments:
    """What a service's `flags:` and `secrets:` come to in its release.

    Names are declared ones without dashes; any name of a flag will do. A flag that the release lacks, one whose value
    is no value for it, and one that a name without meaning may stand for have the value None: whoever asks cannot
    decide, and another rule says why. A name that is spelt wrong and sure counts as the flag that is meant.
    """

    __slots__ = ("given", "open", "release", "wrong")

    def __init__(self, release: Release, flags: Mapping[str, Any], secrets: Mapping[str, str]) -> None:
        self.release = release
        self.given: dict[str, Given] = {}
        """Destination -> the flag that is given for it. `false` for a flag that takes no value gives nothing."""
        self.wrong: dict[str, Wrong] = {}
        """Name -> a flag with a value that it cannot have."""
        self.open: set[str] = set()
        """Destinations of which nobody knows what the server would hold for them."""
        declared = release.by_name
        routes = [*(("flags", name) for name in flags), *(("secrets", name) for name in secrets)]
        if not (declared.keys() >= flags.keys() and declared.keys() >= secrets.keys()):
            routes.sort(key=lambda route: route[1] in declared)  # what is declared goes before what is only meant
        meant = meanings(release, (name for _, name in routes))
        for route in routes:
            flag, may_be = flag_of(release, route[1], meant.get(route[1]))
            self.open |= may_be
            if flag is not None:
                self._take(route, flag, flags[route[1]] if route[0] == "flags" else _SECRET)

    def _take(self, route: tuple[str, str], flag: Flag, value: Any) -> None:
        name = route[1]
        if value is _SECRET:
            self.given[flag.dest] = Given(name, flag, None, route)
            return
        if value is None:
            return
        try:
            held = value_of(flag, value, name.lstrip("-").replace("_", "-"))
        except BadValueError as bad:
            self.wrong[name] = Wrong(name, flag, bad.problem)
            self.open.add(flag.dest)
            return
        if value is not False or flag.nargs != 0 or flag.action == "BooleanOptionalAction":
            self.given[flag.dest] = Given(name, flag, held, route)

    def has(self, name: str) -> bool:
        """Whether the release declares the flag."""
        return name in self.release.by_name

    def said(self, name: str) -> Given | None:
        """The flag as the service gives it, None where it does not."""
        flag = self.release.by_name.get(name)
        return None if flag is None else self.given.get(flag.dest)

    def may_be_said(self, name: str) -> bool:
        """Whether the service gives the flag, or something that may be meant for it and is wrong."""
        flag = self.release.by_name.get(name)
        return flag is not None and (flag.dest in self.given or flag.dest in self.open)

    def value(self, name: str) -> Any:
        """What the server holds for the flag: what is given, else the release's default."""
        flag = self.release.by_name.get(name)
        if flag is None:
            return None
        given = self.given.get(flag.dest)
        if given is not None:
            return given.value
        return None if flag.dest in self.open else self.release.defaults.get(flag.dest)

    def on(self, name: str) -> bool:
        """Whether a flag that is true or false is true."""
        return self.value(name) is True

    def integer(self, name: str) -> int | None:
        """The value of a flag when it is an integer."""
        value = self.value(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def number(self, name: str) -> float | None:
        """The value of a flag when it is a number."""
        value = self.value(name)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    def text(self, name: str) -> str | None:
        """The value of a flag when it is text."""
        value = self.value(name)
        return value if isinstance(value, str) else None

    def route(self, name: str) -> Route:
        """The way to the flag under the name that the service gives it."""
        given = self.said(name)
        return given.route if given is not None else ("flags", name)


def between(version: str, since: str | None = None, until: str | None = None) -> bool:
    """Whether a release lies in a range of releases, both ends included; None is an open end."""
    place = _place(version)
    return (since is None or _place(since) <= place) and (until is None or place <= _place(until))


@cache
def _place(version: str) -> tuple[int, ...]:
    return versions.key(version)


def arguments(view: ServiceView) -> Arguments | None:
    """The flags of a view's service; None where there is no schema of its release.

    All rules of a service ask one after another, and those of its host then ask again, some for each pair of services:
    the view keeps the answer.
    """
    if view.release is None:
        return None
    if not view.asked:
        view.asked.append(Arguments(view.release, view.service.flags, view.service.secrets))
    return view.asked[0]
