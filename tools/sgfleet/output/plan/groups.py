"""Services of a plan that are told as one: everything that is said of the first is true of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.output.plan.words import load_words, memory_moves, pinned, plural, tokens, verdict_words
from sgfleet.plan.records import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgfleet.memory.load_time import LoadTime
    from sgfleet.plan.records import Reason, ServiceChange

_WHAT: Final = {
    Kind.UNKNOWN: ("cannot be planned", "cannot be planned"),
    Kind.REMOVED: ("stops and is removed", "stop and are removed"),
    Kind.RESTARTED: ("restarts", "restart"),
    Kind.MOVED: ("moves", "move"),
    Kind.ADDED: ("is added and starts", "are added and start"),
    Kind.RELOADED: ("is reloaded, and keeps running", "are reloaded, and keep running"),
    Kind.REFRESHED: ("keeps running: only the unit's text changes", "keep running: only the units' text changes"),
}
_LOADS: Final = frozenset({Kind.RESTARTED, Kind.ADDED, Kind.MOVED})


class Group(NamedTuple):
    """Services to which the same happens, for the same reasons and with the same memory: the first stands for all.

    What is of one host each (a path, an observed start, a unit's lines) may differ, and then it is told as such.
    """

    services: tuple[ServiceChange, ...]

    @property
    def first(self) -> ServiceChange:
        """The one that is shown."""
        return self.services[0]

    @property
    def subject(self) -> str:
        """`kimi-01/sglang-kimi`, or how many and which."""
        if len(self.services) == 1:
            return self.first.subject
        hosts = len({each.host for each in self.services})
        shown = ", ".join(each.subject for each in self.services[:2])
        rest = ", …" if len(self.services) > 2 else ""
        return f"{len(self.services)} services on {plural(hosts, 'host')} ({shown}{rest})"

    @property
    def what(self) -> str:
        """What happens to them."""
        return _WHAT[self.first.kind][len(self.services) != 1]

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why. A path that is not the same for all ends with dots."""
        sides = zip(*(each.reasons for each in self.services), strict=True)
        paths = ([each.path for each in same if each.path is not None] for same in sides)
        return tuple(
            each._replace(path=_and_more(there) if there else None)
            for each, there in zip(self.first.reasons, paths, strict=True)
        )

    @property
    def load(self) -> str | None:
        """How long each loads; None where nothing does."""
        if self.first.kind not in _LOADS:
            return None
        differ = len({each.load.seconds for each in self.services if each.load is not None}) > 1
        return load_words(self._longest) + (" each at most" if differ else "")

    @property
    def load_detail(self) -> str | None:
        """Where the time that is told comes from."""
        longest = self._longest
        if longest is None:
            return None
        return _and_more([longest.detail, *(each.load.detail for each in self.services if each.load is not None)])

    @property
    def diff_of(self) -> str:
        """Whose unit the lines are that are shown."""
        if all(each.diff == self.first.diff for each in self.services):
            return self.subject
        return f"{self.first.subject}, one of {plural(len(self.services), 'service')}"

    @property
    def _longest(self) -> LoadTime | None:
        loads = [each.load for each in self.services if each.load is not None]
        return max(loads, key=lambda load: load.seconds, default=None)


def groups_of(services: Iterable[ServiceChange]) -> list[Group]:
    """Those that change, together where all that is told of them is the same; what costs most, and errors, first."""
    found: dict[tuple[object, ...], list[ServiceChange]] = {}
    for each in services:
        if each.kind is not Kind.UNTOUCHED and not (each.kind is Kind.MOVED and each.leaves):
            found.setdefault(_told(each), []).append(each)
    ordered = sorted(
        found.values(), key=lambda group: (group[0].kind.rank, not _is_grave(group[0]), -len(group), group[0].subject)
    )
    return [Group(tuple(group)) for group in ordered]


def _told(service: ServiceChange) -> tuple[object, ...]:
    """Everything of a service that an entry tells as true of all in it."""
    reasons = tuple((each.what, each.consequence) for each in service.reasons)
    memory: tuple[str, ...] | None = None
    if memory_moves(service):
        sides = service.before, service.after
        memory = (*map(tokens, sides), *map(pinned, sides), verdict_words(service))
    return service.kind, reasons, memory, _basis(service.load)


def _basis(load: LoadTime | None) -> tuple[str, ...] | None:
    """What a load time rests on: the weights where it is estimated. Observed ones are of one host each."""
    if load is None:
        return None
    return (load.origin, load.detail) if load.origin == "estimated" else (load.origin,)


def _is_grave(service: ServiceChange) -> bool:
    return memory_moves(service) and service.after is not None and service.after.verdict == "error"


def _and_more(values: list[str]) -> str:
    """The first of them, with dots where they are not all the same."""
    return values[0] if len(set(values)) == 1 else f"{values[0]}, …"
