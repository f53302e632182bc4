"""What a change of flags comes to, found out before a help names it: the rules are asked about the service as it would
be.

A value that settles one finding and brings another is no help. So a help names none that was not tried, and what it
names leads to fewer findings than there are: whoever follows one after another comes to an end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sgfleet.findings import Severity
from sgfleet.rules.rule import HostView

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sgfleet.memory.of_host import HostMemory
    from sgfleet.rules.rule import MachineView, Problem, Rule

_FAMILIES: Final = ("MEM", "CMB")
"""Rules that a change of sizes or of the fraction can wake. How many GPUs there are is for whoever proposes ranks."""
_OF_HOST: Final = frozenset({"MEM010", "MEM011"})
"""Rules about all services together that one with host pools can wake."""


class Said(NamedTuple):
    """What a rule has to say of a service as it would be."""

    code: str
    severity: Severity
    message: str


class Outcome(NamedTuple):
    """A change of flags, and what the rules then say that they do not say now, the gravest first.

    `still` are errors that there are with and without it.
    """

    flags: Mapping[str, Any]
    said: tuple[Said, ...]
    still: int = 0

    @property
    def errors(self) -> tuple[Said, ...]:
        """Those with which the service must not start."""
        return tuple(each for each in self.said if each.severity is Severity.ERROR)

    @property
    def remark(self) -> str:
        """The codes of what is left as a warning: ", and MEM004 then warns"; "" where nothing is."""
        codes = dict.fromkeys(each.code for each in self.said)
        return f", and {' and '.join(codes)} then warn{'s' if len(codes) == 1 else ''}" if codes else ""

    @property
    def weight(self) -> tuple[int, int]:
        """How bad it is: all errors, and what is new. The less the better, and both 0 where nothing is left to say."""
        return len(self.errors) + self.still, len(self.said)

    def only(self, *codes: str) -> bool:
        """Whether there is something, and nothing but these."""
        return bool(self.said) and all(each.code in codes for each in self.said)


class Tries:
    """Changes of one service's flags, tried for the finding that a rule is about to report."""

    def __init__(self, view: MachineView, code: str) -> None:
        assert view.memory is not None  # noqa: S101 - who reports has asked for a budget
        self._view, self._code, self._memory = view, code, view.memory()
        self._before: dict[str, Said] | None = None

    @property
    def is_one(self) -> bool:
        """Whether this itself is asked about a service as it would be: then nobody reads the help."""
        return self._memory.is_trial

    def outcome(self, flags: Mapping[str, Any], release: str | None = None) -> Outcome:
        """What is said then and not now. The finding itself must be gone, and none may have become graver."""
        if self._before is None:
            self._before = _said(self._view, self._memory.changed(self._view.name, {}))
            self._before.pop(self._code, None)
        fresh, still = [], 0
        for code, each in _said(self._view, self._memory.changed(self._view.name, flags, release)).items():
            if code not in self._before or each.severity.rank < self._before[code].severity.rank:
                fresh.append(each)
            elif each.severity is Severity.ERROR:
                still += 1
        return Outcome(flags, tuple(sorted(fresh, key=lambda each: (each.severity.rank, each.code))), still)

    def best(self, proposals: Iterable[Mapping[str, Any]]) -> Outcome | None:
        """The first change after which nothing new is said, else the one with the fewest errors; None without any."""
        least: Outcome | None = None
        for flags in proposals:
            found = self.outcome(flags)
            if not found.said:
                return found
            if least is None or found.weight < least.weight:
                least = found
        return least


def without_remark(view: MachineView, flag: str, values: Sequence[str | None]) -> list[str | None]:
    """Those values of a flag with which nothing new is said; None takes the flag away. All of them in a trial."""
    if view.memory is None:
        return list(values)
    tries = Tries(view, "")
    return [value for value in values if tries.is_one or not tries.outcome({flag: value}).said]


def _said(view: MachineView, memory: HostMemory) -> dict[str, Said]:
    """Code -> the gravest that each rule says of the service with the flags that it has there. Notes do not count."""
    from sgfleet.rules.registry import checks

    changed = _view(view, view.name, memory)
    found: dict[str, Said] = {}
    for each in (*checks()["service"], *checks()["machine"]):
        if each.rule.code.startswith(_FAMILIES):
            _keep(found, each.rule, each.check(changed))
    share = memory.share(view.name)
    if share is not None and share.rank_pools:
        views = {name: _view(view, name, memory) for name in memory.names} | {view.name: changed}
        host = HostView(view.host, views, view.policy, view.facts, memory=lambda: memory)
        for each in checks()["host"]:
            if each.rule.code in _OF_HOST:
                _keep(found, each.rule, each.check(host))
    return found


def _view(view: MachineView, name: str, memory: HostMemory) -> MachineView:
    service = memory.specification(name)
    release = memory.release(name)
    return replace(view, name=name, service=service, release=release, asked=[], memory=lambda: memory)


def _keep(found: dict[str, Said], rule: Rule, problems: Iterable[Problem]) -> None:
    for problem in problems:
        severity = problem.severity or rule.severity
        known = found.get(rule.code)
        if severity is not Severity.NOTE and (known is None or severity.rank < known.severity.rank):
            found[rule.code] = Said(rule.code, severity, problem.message)
