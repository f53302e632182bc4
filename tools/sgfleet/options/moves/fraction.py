"""The memory fraction, within its window."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from sgfleet.options.move import Move, Risk, Ruled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.options.situation import Situation

FLAG: Final = "mem-fraction-static"
_STEP: Final = 0.005
"""A smaller change of the fraction is nobody's concern."""


def moves(now: Situation) -> Iterator[Move | Ruled]:
    """Up to where the estimate's own error ends, and up to the estimate itself."""
    window, here = now.window, now.budget.fraction.value
    safe, most = _down(window.high - window.high_error), _down(window.high)
    if window.is_empty or most - here < _STEP:
        reason = f"fractions up to {window.high:.3f} ± {window.high_error:.3f} work, and it is {here:.3f} now"
        yield Ruled("a larger memory fraction", reason)
        return
    if safe - here >= _STEP:
        yield _move(safe, ())
    if most - max(here, safe) >= _STEP:
        edge = f"{most:.2f} is where activations may not fit any more, estimated ± {window.high_error:.3f}"
        yield _move(most, (edge,), Risk.MEDIUM)


def safe_move(now: Situation) -> Move | None:
    """The largest fraction without a risk; None where there is no better one than now."""
    return next((move for move in moves(now) if isinstance(move, Move) and move.risk is Risk.LOW), None)


def _move(fraction: float, risks: tuple[str, ...], risk: Risk = Risk.LOW) -> Move:
    costs = ("less of the GPU is left for activations",)
    return Move("memory-fraction", f"fraction {fraction:g}", {FLAG: fraction}, risk, costs, risks)


def _down(fraction: float) -> float:
    return math.floor(fraction * 100 + 1e-9) / 100
