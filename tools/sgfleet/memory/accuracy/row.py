"""A figure of a log beside its prediction, and what a log tells about the budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sgfleet.memory.observed import Observed

if TYPE_CHECKING:
    from sgfleet.memory.accuracy.entry import Entry

MEASURED_LIMIT: Final = 0.02
HARDWARE_LIMIT: Final = 0.05
PRINTED: Final = 0.011
"""Two figures of two decimals, each rounded: what separates an exact figure from a printed one, GiB or GB."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of a log beside its prediction.

    `terms` says what was known: "measured" (free memory and weights are in the log), "hardware" (model and card only),
    "exact" (nothing but formulas between the figures). `limit` is the relative error that is asked for, None for
    exact figures, which must agree as printed; `bound` is the error that the estimator itself claims. `unit_gib` is
    what one more of the figure takes on a rank, None where it is no number of tokens.
    """

    entry: str
    what: str
    terms: str
    logged: float
    predicted: float
    limit: float | None
    bound: float
    notes: tuple[str, ...] = ()
    release: str = ""
    release_is_sure: bool = True
    unit_gib: float | None = None

    @property
    def error(self) -> float:
        """Relative error, signed: positive where the prediction is too high."""
        return (self.predicted - self.logged) / self.logged if self.logged else 0.0

    @property
    def within_limit(self) -> bool:
        """As near as is asked for."""
        if self.limit is None:
            return abs(self.predicted - self.logged) <= PRINTED
        return abs(self.error) <= self.limit

    @property
    def within_bound(self) -> bool:
        """As near as the estimator says."""
        return abs(self.predicted - self.logged) <= self.bound + PRINTED


@dataclass(frozen=True, slots=True)
class Score:
    """All rows of an entry; `missed` says why there are none, or what was not compared."""

    entry: str
    rows: tuple[Row, ...]
    missed: tuple[str, ...] = ()


def limit_of(terms: str) -> float | None:
    """The relative error that is asked for; None for figures that must agree as printed."""
    return {"measured": MEASURED_LIMIT, "hardware": HARDWARE_LIMIT}.get(terms)


def observed_in(entry: Entry) -> Observed:
    """The terms of the budget that a log says: free before the weights, the weights, the draft's weights."""
    usage, after = entry.number("weights_mem_usage_gb"), entry.number("avail_mem_after_weights_gb")
    before = entry.number("avail_mem_before_weights_gb")
    if before is None and usage is not None and after is not None:
        before = after + usage
    if before is not None and after is not None:
        usage = before - after
    return Observed(free_before_gib=before, weights_gib=usage, draft_weights_gib=entry.number("draft_weights_gb"))


def tokens_in(entry: Entry) -> float | None:
    """KV tokens of a rank's pool, by whatever name the entry has them."""
    return entry.number("kv_tokens", "max_total_num_tokens", "kv_tokens_observed_approx", "kv_tokens_replica_1")
