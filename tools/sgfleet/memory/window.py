"""The memory fractions with which a service starts and then has room to work."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.memory.runtime import ERROR

if TYPE_CHECKING:
    from sgfleet.memory.device import GpuBudget


_ROUNDING: Final = 1e-6
"""Of thousandths: sums of three decimals are not exact."""


class Window(NamedTuple):
    """Below `low` there is no room for a KV pool; above `high` graphs and activations do not fit any more.

    Three decimals, as people write them. `low` is computed, within `low_error`; `high` is estimated, within
    `high_error`.
    """

    low: float
    high: float
    low_error: float
    high_error: float

    @property
    def is_empty(self) -> bool:
        """No fraction works."""
        return self.low > self.high

    @property
    def sure_low(self) -> float:
        """The least with which there is room whatever the error of the estimate, in three decimals."""
        return math.ceil((self.low + self.low_error) * 1000 - _ROUNDING) / 1000

    @property
    def sure_high(self) -> float:
        """The most with which graphs and activations fit whatever the error of the estimate."""
        return math.floor((self.high - self.high_error) * 1000 + _ROUNDING) / 1000

    @property
    def is_known(self) -> bool:
        """Whether the upper end says anything: an error as large as itself does not."""
        return self.high_error < self.high

    @property
    def good(self) -> tuple[float, float] | None:
        """The fractions that can be advised: the sure ones, else those up to the estimate itself; None without any."""
        for high in (self.sure_high, self.high):
            if self.is_known and self.sure_low <= high:
                return self.sure_low, high
        return None


def window_of(budget: GpuBudget) -> Window:
    """The window for the service of a budget, everything but the fraction unchanged.

    A draft outside the fraction takes more the more tokens there are: its share of the rows is taken into account.
    """
    free = budget.free_before.bytes
    inside = free - budget.rest_bytes - budget.slack_bytes
    weights = inside + budget.unexplained_bytes
    page = budget.pools.bytes_a_token * budget.resolved.page_size
    low = math.ceil((weights + page) / free * 1000) / 1000
    outside = _outside_share(budget)
    fixed = budget.needed_bytes + budget.request_table_most_bytes
    fixed += budget.unaccounted_bytes + budget.unexplained_bytes
    if budget.draft_weights is not None and budget.draft_outside_bytes and not budget.draft_weights_inside:
        fixed += budget.draft_weights.bytes
    # free * (1 - f) = fixed + outside * (free * f - inside)
    high = (free - fixed + outside * inside) / (free * (1 + outside))
    error = budget.weights.error_bytes + budget.free_before.error_bytes
    return Window(
        low=low,
        high=math.floor(high * 1000) / 1000,
        low_error=round(error / free, 3),
        high_error=round((budget.needed_bytes * ERROR + error * outside) / free, 3),
    )


def _outside_share(budget: GpuBudget) -> float:
    """Bytes of draft rows outside the fraction for each byte of KV budget."""
    if not budget.draft_outside_bytes or not budget.pools.bytes_a_token:
        return 0.0
    return budget.cell.draft_allocated / budget.pools.bytes_a_token
