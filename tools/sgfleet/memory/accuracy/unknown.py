"""Entries of models that nothing is known of: what a token takes is read off the log, the budget is still predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.memory.accuracy.entry import finite
from sgfleet.memory.accuracy.row import Row, limit_of, observed_in, tokens_in
from sgfleet.memory.cell import Cell
from sgfleet.memory.pools import bytes_a_token, pools_from_budget
from sgfleet.memory.resolve import Resolved
from sgfleet.memory.units import GIB

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.memory.accuracy.entry import Entry
    from sgfleet.memory.settings import Settings


def budget_rows(entry: Entry, settings: Settings, why: str) -> Iterator[Row]:
    """KV tokens from the memory terms and the bytes of a token, which are those of the log itself."""
    observed, logged = observed_in(entry), tokens_in(entry)
    cell = _logged_cell(entry)
    before, weights = observed.free_before_gib, observed.weights_gib
    if logged is None or cell is None or before is None or weights is None or settings.fraction is None:
        return
    resolved = Resolved(settings.page_size or 1, "bfloat16", 2, sliding=bool(cell.sliding_layers))
    rest = int((before * settings.fraction - weights) * GIB)
    pools = pools_from_budget(rest, (), cell, settings, resolved)
    size = bytes_a_token((), cell, settings, resolved)
    bound = (0.1 * GIB + 0.01 * rest) / size
    note = f"{why}; what a token takes is read off the log"
    yield Row(entry.id, "KV tokens", "measured", logged, pools.tokens, limit_of("measured"), bound, (note,))


def _logged_cell(entry: Entry) -> Cell | None:
    """Bytes of a token in each pool: what the log calls the pool's size over its tokens."""
    pools = entry.logged.get("pools")
    if isinstance(pools, list) and len(pools) == 2:
        counted = [(finite(pool.get("tokens")), _bytes(pool)) for pool in pools if isinstance(pool, dict)]
        sizes = [int(size / tokens) for tokens, size in sorted(counted, key=_most_tokens) if tokens]
        if len(sizes) == len(pools) and all(sizes):
            full, window = sizes
            return Cell(full, full, full, 1, sliding_budget=window, sliding_allocated=window, sliding_layers=1)
    tokens = tokens_in(entry)
    size = _bytes(entry.logged)
    if not tokens or not size:
        return None
    row = int(size / tokens)
    return Cell(row, row, row, 1) if row > 0 else None


def _most_tokens(counted: tuple[float | None, float]) -> float:
    return -(counted[0] or 0.0)


def _bytes(of: object) -> float:
    values = of if isinstance(of, dict) else {}
    whole = finite(values.get("kv_size_gb"))
    parts = [whole] if whole is not None else [finite(values.get(name)) for name in ("k_size_gb", "v_size_gb")]
    return sum(part for part in parts if part is not None) * GIB
