"""The memory fraction that a help names: each end of the range is tried before it is written down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.rules.memory._tried import Tries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from sgfleet.memory.window import Window
    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.memory._budget import Known
    from sgfleet.rules.memory._tried import Outcome
    from sgfleet.rules.rule import MachineView

_BETWEEN: Final = 4
"""Fractions that are tried inside a range of which an end does not work."""


def inner(window: Window) -> tuple[float, ...]:
    """One fraction to try for a service that is to have this window: the middle of what works, then its ends."""
    low, high = window.good or (window.low, window.high)
    middle = (low + high) / 2
    short = round(middle, 2)
    return (short if low <= short <= high else round(middle, 3), low, high)


def with_fraction(view: MachineView, args: Arguments, tries: Tries, flags: Mapping[str, Any]) -> Outcome:
    """What a change of flags comes to, together with another memory fraction where only that is in the way."""
    outcome = tries.outcome(flags)
    if view.memory is None or not outcome.only("MEM002", "MEM003"):
        return outcome
    window = view.memory().changed(view.name, flags).window(view.name)
    if window is None:
        return outcome
    name = str(args.route("mem-fraction-static")[-1])
    better = tries.best([{**flags, name: fraction} for fraction in inner(window)])
    return better if better is not None and len(better.said) < len(outcome.said) else outcome


def fraction_help(view: MachineView, found: Known, code: str) -> str:
    """The fractions that no rule has anything to say about, or why none can be named."""
    tries, window = Tries(view, code), found.window
    if tries.is_one:
        return ""
    name = str(found.args.route("mem-fraction-static")[-1])
    if not window.is_known:
        return (
            "which fraction works is not known: what graphs and activations take is estimated within"
            f" {window.high_error:.3f} of the GPU; a smaller cuda-graph-max-bs or chunked-prefill-size makes it less"
        )
    if window.good is None:
        middle = inner(window)[0]
        likeliest = f", the likeliest is {middle:.3f}" if abs(middle - found.budget.fraction.value) >= 0.001 else ""
        return (
            f"no fraction is sure: from {window.low:.3f} ± {window.low_error:.3f} to {window.high:.3f} ±"
            f" {window.high_error:.3f}{likeliest}; a larger tp-size, or a smaller cuda-graph-max-bs or"
            " chunked-prefill-size, makes room"
        )
    tried = _tried(tries, name, *window.good)
    silent = [outcome for outcome in tried if not outcome.said]
    sound = silent or [outcome for outcome in tried if not outcome.errors]
    if sound:
        low, high = sound[0].flags[name], sound[-1].flags[name]
        values = f"a fraction from {low:.3f} to {high:.3f}" if low < high else f"mem-fraction-static {low:.3f}"
        return f"write {values}{sound[0].remark}"
    first = tried[0].errors[0]
    return f"no fraction is enough: with {tried[0].flags[name]:.3f} {first.code} says that {first.message}"


def _tried(tries: Tries, name: str, low: float, high: float) -> Sequence[Outcome]:
    """Both ends, and what is between them where one does not work."""
    ends = [tries.outcome({name: value}) for value in dict.fromkeys((low, high))]
    if len(ends) == 1 or not any(each.said for each in ends):
        return ends
    steps = dict.fromkeys(round(low + (high - low) * step / (_BETWEEN + 1), 3) for step in range(1, _BETWEEN + 1))
    return [ends[0], *(tries.outcome({name: value}) for value in steps if low < value < high), ends[1]]
