"""Memory that is left for caches -> KV tokens, and the bytes of each device pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sgfleet.memory.compressed import compressed_cell_bytes
from sgfleet.memory.era import from_release
from sgfleet.memory.eras import DRAFT_IN_BUDGET, SLIDING_SPLIT
from sgfleet.memory.state import StateSlots, state_bytes, state_slots
from sgfleet.memory.units import pages_down

if TYPE_CHECKING:
    from sgfleet.memory.cell import Cell
    from sgfleet.memory.resolve import Resolved
    from sgfleet.memory.settings import Settings
    from sgfleet.model.layer import Layer


class DevicePools(NamedTuple):
    """The pools of a rank. `tokens` is what the release reports as max_total_num_tokens.

    `sliding_tokens` is the pool of layers with a window (None without one); `kv_bytes`, `sliding_bytes`, `state_bytes`
    and `draft_bytes` are what is allocated, padding page included. `bytes_a_token` is what the budget is divided by.
    """

    tokens: int
    bytes_a_token: float
    kv_bytes: int
    sliding_tokens: int | None = None
    sliding_bytes: int = 0
    state: StateSlots | None = None
    draft_bytes: int = 0

    @property
    def state_bytes(self) -> int:
        """Bytes of the states of linear layers."""
        return self.state.allocated_bytes if self.state is not None else 0

    @property
    def total_bytes(self) -> int:
        """All pools together."""
        return self.kv_bytes + self.sliding_bytes + self.state_bytes + self.draft_bytes


def pools_from_budget(
    rest_bytes: int, layers: tuple[Layer, ...], cell: Cell, settings: Settings, resolved: Resolved
) -> DevicePools:
    """The pools that a release makes from what is left for them. Never negative: too little gives no tokens."""
    rest_bytes = max(0, rest_bytes)
    slots = state_slots(rest_bytes, state_bytes(layers, settings), settings)
    rest_bytes = max(0, rest_bytes - slots.taken_bytes)
    divisor = bytes_a_token(layers, cell, settings, resolved)
    tokens = int(rest_bytes // divisor) if divisor else 0
    if settings.max_total_tokens is not None:
        tokens = min(tokens, settings.max_total_tokens)
    if _splits_later(settings, resolved, cell):
        tokens = pages_down(tokens, resolved.page_size)
        tokens = int(tokens * _evenly(settings, cell))
    return pools_of_tokens(pages_down(tokens, resolved.page_size), layers, cell, settings, resolved, slots)


def bytes_a_token(layers: tuple[Layer, ...], cell: Cell, settings: Settings, resolved: Resolved) -> float:
    """What a release divides the memory by: bytes of one reported token on a rank."""
    compressed = compressed_cell_bytes(layers, settings, draft=True)
    if compressed:
        return compressed
    if resolved.sliding and not _splits_later(settings, resolved, cell):
        if not cell.full_layers:
            return cell.sliding_budget + cell.draft
        return cell.full_budget + settings.sliding_ratio * cell.sliding_budget + cell.draft
    return cell.budget + cell.draft


def _splits_later(settings: Settings, resolved: Resolved, cell: Cell) -> bool:
    """Before 0.5.11 tokens are counted as if all layers kept them, and then shared out."""
    return (
        resolved.sliding
        and bool(cell.sliding_layers and cell.full_layers)
        and not from_release(settings.release, "0.5.11")
    )


def _evenly(settings: Settings, cell: Cell) -> float:
    """How many tokens full layers get for each that all layers could have."""
    if SLIDING_SPLIT.at(settings.release) == "layers":
        return cell.layers / (settings.sliding_ratio * cell.sliding_layers + cell.full_layers)
    return cell.budget / (cell.full_budget + settings.sliding_ratio * cell.sliding_budget)


def pools_of_tokens(
    tokens: int,
    layers: tuple[Layer, ...],
    cell: Cell,
    settings: Settings,
    resolved: Resolved,
    slots: StateSlots | None = None,
) -> DevicePools:
    """The pools of a rank that reports so many tokens. Every pool has one page more than its tokens."""
    page = resolved.page_size
    divisor = bytes_a_token(layers, cell, settings, resolved)
    states = slots if slots is not None and slots.count else None
    compressed = compressed_cell_bytes(layers, settings, draft=False)
    if compressed:
        return DevicePools(tokens, divisor, int(tokens * compressed), state=states)
    sliding = sliding_bytes = None
    if resolved.sliding and cell.sliding_layers:
        share = settings.sliding_ratio if cell.full_layers else 1.0
        sliding = pages_down(int(tokens * share), page)
        sliding_bytes = (sliding + page) * cell.sliding_allocated
    rows = tokens + page if tokens else 0
    return DevicePools(
        tokens=tokens,
        bytes_a_token=divisor,
        kv_bytes=rows * cell.full_allocated,
        sliding_tokens=sliding,
        sliding_bytes=(sliding_bytes or 0) if tokens else 0,
        state=states,
        draft_bytes=rows * cell.draft_allocated if cell.draft_counted and DRAFT_IN_BUDGET.at(settings.release) else 0,
    )
