"""Tries a move on paper: the patch is made, the file read and checked as by `check`, the budgets worked out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sgfleet.engine.argv.values import check_value
from sgfleet.findings import Severity
from sgfleet.memory.device import NotKnownError
from sgfleet.memory.host import host_budget
from sgfleet.memory.units import tokens_within
from sgfleet.memory.verdict import gpu_statements, ram_statements, share_statements
from sgfleet.options.move import Ruled
from sgfleet.options.patch import patch_of
from sgfleet.options.situation import Situation
from sgfleet.rules.bearing import bearing_on, bearing_on_host
from sgfleet.source.edit import EditError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sgfleet.engine.release import Release
    from sgfleet.findings import Finding
    from sgfleet.memory.host import HostFacts
    from sgfleet.memory.service import Service
    from sgfleet.options.move import Move
    from sgfleet.options.patch import Patch
    from sgfleet.spec.host_spec import HostSpec


_ROUNDING: Final = 0.0005
"""Windows have three decimals."""


@dataclass(frozen=True, slots=True)
class World:
    """What a trial needs of the repository, each piece pure or a reading of what is there.

    `read` takes another text of the host's file; `check` gives the final findings, `check_memory` those with the rules
    about memory, too; `services` gives the budgets' side of every service, or why there is none, and `unjudged` what a
    budget leaves open.
    """

    spec: HostSpec
    facts: HostFacts
    release: Release
    read: Callable[[str], HostSpec]
    check: Callable[[HostSpec], list[Finding]]
    check_memory: Callable[[HostSpec], list[Finding]]
    services: Callable[[HostSpec], Mapping[str, Service | NotKnownError]]
    unjudged: Callable[[HostSpec, str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Trial:
    """A move that can be made: where it leads, by which patch, and what may go wrong. `open` is what nobody judged."""

    move: Move
    situation: Situation
    patch: Patch
    risks: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


def situation_of(world: World, spec: HostSpec, name: str, before: Situation | None = None) -> Situation:
    """Where a service stands in this version of its host; `before` is where it stands in the repository.

    Raises:
        NotKnownError: its budget cannot be computed.
    """
    services = world.services(spec)
    mine = services[name]
    if isinstance(mine, NotKnownError):
        raise mine
    known = [service for service in services.values() if not isinstance(service, NotKnownError)]
    unaccounted = before.budget.unaccounted_bytes if before is not None else 0
    return Situation(world.release, mine, host_budget(known, world.facts), unaccounted)


def try_move(world: World, name: str, move: Move, before: Situation) -> Trial | Ruled:
    """Look whether a move can be made: the release takes the flags, no new error, and the memory is there."""
    for flag, value in move.flags.items():
        known = world.release.by_name.get(flag)
        if known is None:
            return Ruled(move.title, f"SGLang {world.release.version} has no {flag}")
        problem = check_value(known, value, flag)
        if problem is not None:
            return Ruled(move.title, f"SGLang {world.release.version}: {problem.message}")
    try:
        patch = patch_of(world.spec.services[name], move.flags)
    except EditError as error:
        return Ruled(move.title, f"{error.place.path}:{error.place.line} cannot be edited safely: {error.message}")
    spec = world.read(patch.after)
    if name not in spec.services:
        return Ruled(move.title, "the service cannot be put together any more")
    fresh = _fresh(world.check(world.spec), world.check(spec))
    refused = next((finding for finding in fresh if finding.severity is Severity.ERROR), None)
    if refused is not None:
        return Ruled(move.title, f"{refused.code}: {refused.message}")
    try:
        situation = situation_of(world, spec, name, before)
    except NotKnownError as unknown:
        return Ruled(move.title, str(unknown), unknown=True)
    risks = [f"{finding.code}: {finding.message}" for finding in fresh if finding.severity is Severity.WARNING]
    return Trial(move, situation, patch, (*move.risks, *risks))


def accepted(world: World, trial: Trial) -> Trial | Ruled:
    """Hold the edited file against all that `sgfleet check` will say of it, once the budgets have been found sound.

    It brings no error, and none about this service's memory is left: an option is a way out of it, or none.
    """
    name, spec = trial.situation.service.name, world.read(trial.patch.after)
    after = world.check_memory(spec)
    fresh = _fresh(world.check_memory(world.spec), after)
    left = [each for each in (*bearing_on(after, name), *bearing_on_host(after)) if each.waived is None]
    for finding in (*fresh, *left):
        if finding.severity is Severity.ERROR:
            return Ruled(trial.move.title, f"{finding.code}: {finding.message}")
    said = (f"{finding.code}: {finding.message}" for finding in fresh if finding.severity is Severity.WARNING)
    return replace(trial, risks=tuple(dict.fromkeys((*trial.risks, *said))), open=world.unjudged(spec, name))


def _fresh(before: list[Finding], after: list[Finding]) -> list[Finding]:
    """Findings that a change brings. (A waived one is accepted.)"""
    there = {(finding.code, finding.service, finding.message) for finding in before}
    return [
        finding
        for finding in after
        if finding.waived is None and (finding.code, finding.service, finding.message) not in there
    ]


def memory_problem(trial: Trial, before: Situation) -> str | None:
    """Why the memory is not there: on the GPU, by the engine's own check, or by policy; None where it is.

    A service that is beyond its window already may stay there, and go no farther.
    """
    situation = trial.situation
    budget, window = situation.budget, situation.window
    error = budget.error_tokens
    if budget.tokens - error <= 0:
        fraction = f"memory fraction {budget.fraction.value:.3f}"
        return f"{fraction} leaves no KV tokens for sure: {tokens_within(budget.tokens, error)}"
    excess = max(0.0, before.budget.fraction.value - before.window.high) + _ROUNDING
    if not window.is_empty and budget.fraction.value > window.high + excess:
        return f"memory fraction {budget.fraction.value:.3f} is beyond {window.high:.3f} ± {window.high_error:.3f}"
    for statement in gpu_statements(situation.service):
        if statement.weight == "error":
            return statement.text
    return ram_problem(trial)


def ram_problem(trial: Trial) -> str | None:
    """Why the host's RAM does not hold the pools; None where it does."""
    host = trial.situation.host
    for statement in ram_statements(host):
        if statement.weight != "note":  # what may not fit is not proposed
            return statement.text
    for statement in share_statements(trial.situation.share):
        if statement.weight == "error":
            return statement.text
    broken = trial.situation.share
    return broken.memory_max or broken.memlock or broken.numa
