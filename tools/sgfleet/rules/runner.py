"""Calls the rules and turns what they say into findings with a place. Pure: everything that is read comes in.

A rule that fails must not hide what the others say: it becomes a `Crash`, beside the findings.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from sgfleet.findings import Finding
from sgfleet.rules.registry import checks
from sgfleet.rules.rule import HostView, MachineView
from sgfleet.rules.wording import ABOUT_NAMES, in_words_of_the_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sgfleet.findings import Place
    from sgfleet.rules.registry import Check
    from sgfleet.rules.rule import FleetView, Part, Problem, Route, Rule, Stage
    from sgfleet.rules.shared import Shared

    Locate = Callable[[Route, Part], tuple[Place, Route]]
    """Route into a view, side of the entry -> place, and the route inside the place's own file."""


class Crash(NamedTuple):
    """A rule of ours that failed on somebody's data: a bug of this tool, and no verdict.

    `code` is None when it was not a rule but what comes before them. `frames` say where ("check,
    flags/unknown_flag.py:31"). The exception's own message is not kept: it may quote data, secrets included.
    """

    code: str | None
    subject: str
    error: str
    frames: tuple[str, ...]


class Hidden(NamedTuple):
    """A value that a rule calls a secret: its file, the route in it, and the text when it is one."""

    path: str
    route: Route
    text: str | None


@dataclass(slots=True)
class Outcome:
    """What rules had to say about one view, and where they came across secrets."""

    findings: list[Finding] = field(default_factory=list)
    secrets: list[Hidden] = field(default_factory=list)
    crashes: list[Crash] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        """Take over what `other` holds."""
        self.findings += other.findings
        self.secrets += other.secrets
        self.crashes += other.crashes


def run(
    view: MachineView | HostView | FleetView,
    locate: Locate,
    shared: Shared | None = None,
    contents: Mapping[Stage, bytes] = MappingProxyType({}),
    only: tuple[str, ...] = ("",),
) -> Outcome:
    """Call every rule of the view's stages, or those whose code begins with one of `only`. The findings are neither
    waived, weighed by policy, masked nor sorted.

    With `shared`, a rule that had nothing to say about the same is not called: `contents` is, for a stage, all that
    its rules may decide from and that is not the same for the whole fleet.
    """
    host, service = None, None
    stages: tuple[Stage, ...] = ("fleet",)
    if isinstance(view, MachineView):
        stages, host, service = ("service", "machine"), view.host, view.name
    elif isinstance(view, HostView):
        stages, host = ("host",), view.host
    outcome = Outcome()
    for stage in stages:
        seen = contents.get(stage)
        known = None if shared is None or seen is None else shared.speakers(stage, service, seen)
        called = checks()[stage] if known is None else known
        asked = called if only == ("",) else [each for each in called if each.rule.code.startswith(only)]
        spoke = tuple(each for each in asked if _call(each, view, locate, host, service, outcome))
        if shared is not None and seen is not None and known is None:
            shared.keep(stage, service, seen, spoke)
    return outcome


def _call(
    each: Check,
    view: MachineView | HostView | FleetView,
    locate: Locate,
    host: str | None,
    service: str | None,
    outcome: Outcome,
) -> bool:
    """Call one rule; whether it said anything, or broke."""
    spoke = False
    try:
        for problem in each.check(view):
            spoke = True
            finding = _finding(each.rule, _reworded(each.rule, problem, view), locate, host, service)
            outcome.findings.append(finding)
            if problem.secret:
                value = _value(view.service, problem.route) if isinstance(view, MachineView) else None
                where, route = locate(problem.route, "value")
                outcome.secrets.append(Hidden(where.path, route, value if isinstance(value, str) else None))
    except Exception as error:  # the rule is wrong, whatever it raised; the others still have their say
        subject = "/".join(filter(None, (host, service))) or "fleet.yaml"
        outcome.crashes.append(crash(each.rule.code, subject, error))
        return True
    return spoke


def _reworded(rule: Rule, problem: Problem, view: MachineView | HostView | FleetView) -> Problem:
    """The problem in the words of the file that it is about."""
    if rule.code.startswith(ABOUT_NAMES):
        return problem
    own: MachineView | None = view if isinstance(view, MachineView) else None
    if isinstance(view, HostView) and problem.route[:1] == ("services",) and len(problem.route) > 1:
        own = view.services.get(str(problem.route[1]))
    return problem if own is None else in_words_of_the_file(problem, own)


def _finding(rule: Rule, problem: Problem, locate: Locate, host: str | None, service: str | None) -> Finding:
    place, route = locate(problem.route, problem.part)
    if service is None and host is not None and len(problem.route) > 1 and problem.route[0] == "services":
        service = str(problem.route[1])
    return Finding(
        code=rule.code,
        severity=problem.severity or rule.severity,
        message=problem.message,
        place=place,
        host=host,
        service=service,
        arithmetic=problem.arithmetic,
        help=problem.help,
        based_on=problem.based_on,
        related=tuple((locate(way, _side(way))[0], words) for way, words in problem.related),
        route=route,
    )


def _side(route: Route) -> Part:
    """A service as a whole is its name; the value would be the first of its lines, whatever that says."""
    return "key" if len(route) <= len(("services", "name")) and route[:1] == ("services",) else "value"


def _value(data: Any, route: Route) -> Any:
    """What stands at the end of a route into a service, or None."""
    for step in route:
        if isinstance(data, dict):
            data = data.get(step)
        elif isinstance(data, tuple | list):
            data = data[step] if isinstance(step, int) and 0 <= step < len(data) else None
        else:
            data = getattr(data, str(step).replace("-", "_"), None)
    return data


def crash(code: str | None, subject: str, error: Exception) -> Crash:
    """What is kept of an exception: it must fit through a pipe between processes, and into a report."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    return Crash(
        code=code,
        subject=subject,
        error=type(error).__name__,
        frames=tuple(f"{frame.name}, {'/'.join(frame.filename.split('/')[-3:])}:{frame.lineno}" for frame in frames),
    )
