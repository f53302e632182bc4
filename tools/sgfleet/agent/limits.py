"""What the host's own file lets a service be, whatever the repository says. Pure."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Final

from sgfleet.agent.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgfleet.agent.local import Limits
    from sgfleet.spec.models.service import Service

_CODE: Final = ("LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP")
"""Variables that put other code into an allowed program."""


def exceeded(name: str, service: Service, port: int | None, limits: Limits, scope: str) -> Reason | None:
    """The first limit that a service exceeds."""
    return next(_exceeded(name, service, port, limits, scope), None)


def _exceeded(name: str, service: Service, port: int | None, limits: Limits, scope: str) -> Iterator[Reason]:
    if not _fits(name, limits.services):
        yield _limit("services", f"this host takes no service named {name!r}", limits.services)
    if scope == "system":
        if limits.users is None and service.user == "root":
            yield Reason("limit", "this host runs no service as root", 'users = ["root"] under [limits] would let it')
        elif limits.users is not None and service.user not in limits.users:
            yield _limit("users", f"this host runs no service as {service.user}", limits.users)
    elif service.user != "root" or service.group is not None:
        yield Reason("limit", "services of a user's manager run as that user", "take user and group out of the spec")
    for limit, words, what in (
        (limits.executables, (service.python,), "executables"),
        (limits.models, _models(service), "models"),
        (limits.environment_files, service.environment_files, "environment-files"),
    ):
        for word in words:
            if not _is_plain(word) or not _fits(word, limit):
                yield _limit(what, f"{word!r} is outside of what this host allows", limit)
    yield from _foreign_code(service, limits)
    if limits.ports is not None and port is not None and not limits.ports[0] <= port <= limits.ports[1]:
        yield Reason("limit", f"port {port} is outside of {limits.ports[0]} to {limits.ports[1]}")


def _foreign_code(service: Service, limits: Limits) -> Iterator[Reason]:
    """Variables that would load code from elsewhere into an allowed program."""
    for name in _CODE if limits.executables is not None else ():
        for path in str(service.environment.get(name, "")).replace(" ", ":").split(":"):
            if path and not (_is_plain(path) and _fits(path, limits.executables)):
                yield _limit("executables", f"{name} brings code from {path!r}", limits.executables)


def _models(service: Service) -> Iterator[str]:
    """Every path of a checkpoint that the service names."""
    for flag in ("model-path", "model", "tokenizer-path", "speculative-draft-model-path", "speculative-draft-model"):
        if isinstance(value := service.flags.get(flag), str):
            yield value


def _fits(word: str, patterns: Iterable[str] | None) -> bool:
    return patterns is None or any(fnmatch.fnmatchcase(word, pattern) for pattern in patterns)


def _is_plain(path: str) -> bool:
    """Not a way out of an allowed folder."""
    return not {"..", "."} & set(path.split("/"))


def _limit(key: str, text: str, allowed: tuple[str, ...] | None) -> Reason:
    return Reason("limit", text, f"agent.toml, [limits] {key}: {', '.join(allowed or ()) or 'nothing'}")
