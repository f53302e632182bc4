"""All ways to more KV capacity of a service: each is tried; those that work are numbered, others have a reason."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sgfleet.memory.units import gib, tokens_within
from sgfleet.options.move import Move, Risk, Ruled
from sgfleet.options.moves import attention_groups, fraction, host_tier, kv_type, limits, reserve, speculation
from sgfleet.options.option import Option
from sgfleet.options.situation import capacity_of
from sgfleet.options.trial import Trial, accepted, memory_problem, ram_problem, try_move

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.options.situation import Capacity, Situation
    from sgfleet.options.trial import World

_LEAST_GAIN: Final = 0.01
"""A gain of less than this share is none."""
_UNSURE: Final = 0.25
"""An estimate that may be off by more than this share is a risk."""
_ROOMY: Final = ("fp8-kv", "chunk", "attention-groups", "speculation", "limits")
"""Kinds of moves after which another memory fraction may work."""


def survey(world: World, name: str, now: Situation) -> tuple[tuple[Option, ...], tuple[Ruled, ...]]:
    """The options, least risk first and then the most tokens, and what is not open from here."""
    surveyor = _Surveyor(world, name, now)
    surveyor.look()
    return surveyor.options(), tuple(surveyor.ruled)


class _Surveyor:
    """One pass over the kinds of moves. A change that was tried once is not tried again."""

    def __init__(self, world: World, name: str, now: Situation) -> None:
        self.world, self.name, self.now = world, name, now
        self.before = capacity_of(now)
        self.found: list[Trial] = []
        self.ruled: list[Ruled] = []
        self.seen: set[tuple[tuple[str, str], ...]] = set()

    def look(self) -> None:
        """Single moves, then what can be combined with the room that they make."""
        single = [self.tried(each) for each in self.single()]
        works = [trial for trial in single if trial is not None]
        for trial in works:
            self.keep(trial)
        larger: list[Trial] = []
        for trial in works:
            if trial.move.kind in _ROOMY:
                larger += self.with_room(trial)
        chunk = next((trial for trial in works if reserve.CHUNK in trial.move.flags), None)
        if chunk is not None:
            for trial in works:
                if trial.move.kind == "fp8-kv":
                    both = self.tried(chunk.move.with_(trial.move), quiet=True)
                    larger += [both, *self.with_room(both)] if both is not None else []
        for trial in larger:
            self.keep(trial, quiet=True)
        self.with_tier()

    def single(self) -> Iterator[Move]:
        """One change each; what is ruled out at once is noted."""
        flags = self.world.spec.services[self.name].service.flags
        for each in (
            *host_tier.moves(self.now),
            *fraction.moves(self.now),
            *kv_type.moves(self.now),
            *reserve.moves(self.now),
            *attention_groups.moves(self.now),
            *speculation.moves(self.now, flags),
            *limits.moves(self.now),
        ):
            if isinstance(each, Ruled):
                self.ruled.append(each)
            else:
                yield each

    def tried(self, move: Move, *, quiet: bool = False) -> Trial | None:
        """What comes of a move; None, with the reason noted, where the release or `check` refuses it."""
        key = tuple(sorted((flag, repr(value)) for flag, value in move.flags.items()))
        if key in self.seen:
            return None
        self.seen.add(key)
        outcome = try_move(self.world, self.name, move, self.now)
        if isinstance(outcome, Trial):
            return outcome
        if not quiet:
            self.ruled.append(outcome)
        return None

    def with_room(self, trial: Trial) -> list[Trial]:
        """The same with the largest fraction that is safe then."""
        more = fraction.safe_move(trial.situation)
        both = self.tried(trial.move.with_(more), quiet=True) if more is not None else None
        return [] if both is None else [both]

    def keep(self, trial: Trial, *, quiet: bool = False) -> None:
        """Keep what fits in memory, with another ratio where that makes it fit, and gains something."""
        problem = memory_problem(trial, self.now)
        if problem is not None and problem == ram_problem(trial):
            fitting = self.refitted(trial)
            if fitting is not None:
                trial, problem = fitting, memory_problem(fitting, self.now)
        if problem is not None:
            if not quiet:
                self.ruled.append(Ruled(trial.move.title, problem))
            return
        gain = _gain(self.before, capacity_of(trial.situation))
        if max(gain) < _LEAST_GAIN:
            if not quiet:
                self.ruled.append(Ruled(trial.move.title, _no_gain(trial, self.before)))
            return
        outcome = accepted(self.world, trial)
        if isinstance(outcome, Trial):
            self.found.append(outcome)
        elif not quiet:
            self.ruled.append(outcome)

    def with_tier(self) -> None:
        """The options with most tokens on the GPU at each risk, and the largest host tier beside them."""
        best: dict[tuple[Risk, bool], Trial] = {}
        for trial in self.found:
            key = (trial.move.risk, trial.move.accuracy is not None)
            if key not in best or trial.situation.budget.tokens > best[key].situation.budget.tokens:
                best[key] = trial
        for trial in best.values():
            tier = host_tier.largest(trial.situation)
            both = self.tried(trial.move.with_(tier), quiet=True) if tier is not None else None
            if both is not None:
                self.keep(both, quiet=True)

    def refitted(self, trial: Trial) -> Trial | None:
        """The move with the largest ratio that its own pools leave room for."""
        ratio = host_tier.fitted(trial.situation)
        if ratio is None:
            return None
        move = trial.move.with_(ratio)
        share = trial.situation.share
        asked = "a size" if share.ratio is None else f"ratio {share.ratio:g}"
        cost = f"with {asked} the pools would pin {gib(share.pinned_bytes)}: the ratio goes with it"
        return self.tried(replace(move, costs=(*trial.move.costs, cost)), quiet=True)

    def options(self) -> tuple[Option, ...]:
        """Numbered by their order: least risk, then tokens on the GPU, then tokens in RAM."""
        made = [_option(trial, self.before) for trial in self.found]
        made = [each for each in made if not any(_is_better(other, each) for other in made)]
        return tuple(sorted(made, key=_order))


def _gain(before: Capacity, after: Capacity) -> tuple[float, float]:
    """Relative gains on the GPU and in RAM. What the estimate's error may eat up is no gain."""
    gpu = (after.gpu_tokens - before.gpu_tokens) / max(1, before.gpu_tokens)
    ram = (after.ram_tokens - before.ram_tokens) / max(1, before.ram_tokens or before.gpu_tokens)
    return gpu, ram if gpu > -_LEAST_GAIN else min(ram, 0.0)


def _no_gain(trial: Trial, before: Capacity) -> str:
    after = capacity_of(trial.situation)
    if trial.situation.settings.fraction is not None and "mem-fraction-static" not in trial.move.flags:
        return f"alone it gains nothing: the memory fraction is fixed at {trial.situation.settings.fraction:g}"
    then = tokens_within(after.gpu_tokens, after.error_tokens)
    return f"it gains nothing: {before.gpu_tokens:,} KV tokens now, {then} then"


def _option(trial: Trial, before: Capacity) -> Option:
    risk, risks, after = trial.move.risk, list(trial.risks), capacity_of(trial.situation)
    if len(trial.risks) > len(trial.move.risks):  # `check` warns of it
        risk = max(risk, Risk.MEDIUM)
    edge = _edge(trial)
    if edge is not None and after.fraction > before.fraction and trial.move.risk is Risk.LOW:
        risk = max(risk, Risk.MEDIUM)
        risks.append(edge)
    if after.request_tokens < before.request_tokens * (1 - _LEAST_GAIN):
        risk = max(risk, Risk.MEDIUM)
        risks.append(f"the longest request falls from {before.request_tokens:,} to {after.request_tokens:,} tokens")
    if trial.open:
        risk = Risk.HIGH
        risks += [f"not judged: {each}" for each in trial.open]
    if after.error_tokens > after.gpu_tokens * _UNSURE:
        risk = Risk.HIGH
        risks.append(f"the figure may be off by {after.error_tokens:,} tokens: no start like this was observed")
    return Option(replace(trial.move, risk=risk), after, trial.patch, tuple(risks))


def _edge(trial: Trial) -> str | None:
    """Where the fraction is within the error of the largest that works."""
    window, value = trial.situation.window, trial.situation.budget.fraction.value
    if window.is_empty or value <= window.high - window.high_error + 0.0005:
        return None
    most = f"{window.high:.3f} ± {window.high_error:.3f}"
    return f"memory fraction {value:.3f} is near {most}, where activations may not fit"


def _is_better(one: Option, other: Option) -> bool:
    """Whether `one` changes a part of the flags that `other` changes, at no more risk, and gives as much."""
    if one is other:
        return False
    a, b = one.capacity, other.capacity
    return (
        one.move.risk <= other.move.risk
        and one.move.flags.keys() <= other.move.flags.keys()
        and (one.move.accuracy is None or other.move.accuracy is not None)
        and a.gpu_tokens >= b.gpu_tokens
        and a.ram_tokens >= b.ram_tokens
        and a.ram_bytes <= b.ram_bytes
        and (
            one.move.flags.keys() < other.move.flags.keys()
            or a.gpu_tokens > b.gpu_tokens
            or a.ram_tokens > b.ram_tokens
        )
    )


def _order(option: Option) -> tuple[int, int, int, str]:
    capacity = option.capacity
    return option.move.risk, -capacity.gpu_tokens, -capacity.ram_tokens, option.move.title
