"""The flags and secrets of a resolved service as one command line, a group of words a flag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sgfleet.engine.argv.words import flags_to_argv
from sgfleet.render.quoting import blinds_systemctl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sgfleet.engine.release import Release
    from sgfleet.spec.models.service import Service

Route = tuple[str | int, ...]

_ABOUT_NAMES: Final = ("unknown-flag", "twice")
"""Kinds of problems whose fault is the flag's name, not its value."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A flag whose value systemd takes from a variable when the process starts."""

    option: str
    variable: str


Group = tuple[str, ...] | Secret
"""What one flag puts on the command line."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a service has no command line, and where in the service that stands; `key` says that the name is meant."""

    route: Route
    message: str
    help: str | None = None
    key: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """What follows the entry module, a group a flag, in the release's own order; whole only without obstacles."""

    groups: tuple[Group, ...]
    obstacles: tuple[Obstacle, ...] = ()


def command_of(service: Service, release: Release, texts: Mapping[str, str]) -> Command:
    """The command line of a service. `texts` has the spelling of scalars: flag -> as it is written in YAML."""
    line = flags_to_argv(release, service.flags, texts)
    obstacles = [
        Obstacle(("flags", each.name), each.problem.message, each.problem.help, each.problem.kind in _ABOUT_NAMES)
        for each in line.problems
    ]
    groups = list(_grouped(line.words))
    obstacles += _blind(groups)
    obstacles += _secret_obstacles(service, release)
    if obstacles:
        return Command((), tuple(obstacles))
    placed: list[tuple[int, Group]] = [(release.order[_flag(group)], group) for group in groups]
    placed += [(release.order[flag], Secret(f"--{flag}", name)) for flag, name in service.secrets.items()]
    return Command(tuple(group for _, group in sorted(placed, key=lambda each: each[0])))


def _grouped(words: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """A word that begins with two dashes begins a flag: values that do so stand behind `=`."""
    group: list[str] = []
    for word in words:
        if word.startswith("--") and group:
            yield tuple(group)
            group = []
        group.append(word)
    if group:
        yield tuple(group)


def _flag(group: tuple[str, ...]) -> str:
    return group[0].removeprefix("--").partition("=")[0]


def _blind(groups: Iterable[tuple[str, ...]]) -> Iterator[Obstacle]:
    for group in groups:
        if any(blinds_systemctl(word) is not None for word in group):
            name = _flag(group)
            message = f"{name} holds a Unicode noncharacter, with which systemctl cannot read the unit's state any more"
            yield Obstacle(("flags", name), message, "write the value without it")


def _secret_obstacles(service: Service, release: Release) -> Iterator[Obstacle]:
    for name in service.secrets:
        flag = release.by_name.get(name)
        if flag is None:
            yield Obstacle(("secrets", name), f"SGLang {release.version} has no flag {name}", key=True)
        elif flag.nargs == 0:
            yield Obstacle(
                ("secrets", name), f"{name} takes no value", "only flags with a value can be secret", key=True
            )
        elif any(each in service.flags and service.flags[each] is not None for each in flag.names):
            yield Obstacle(("secrets", name), f"{name} is set in flags as well", "leave it out of flags", key=True)
