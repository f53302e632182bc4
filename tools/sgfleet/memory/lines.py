"""A budget as a table: one line for each part, in the order in which it is taken, each with where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sgfleet.memory.amount import Amount, Origin
from sgfleet.memory.runtime import ERROR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.memory.device import GpuBudget
    from sgfleet.memory.host import ServiceShare


@dataclass(frozen=True, slots=True)
class Line:
    """One part of a budget. `name` is its key for machines, `label` its name for people, `detail` the arithmetic.

    `inside` says whether it is bounded by the memory fraction; None for lines that are no part of the sum.
    """

    name: str
    label: str
    bytes: int
    origin: Origin
    error_bytes: int = 0
    detail: str = ""
    inside: bool | None = None


def gpu_lines(budget: GpuBudget) -> list[Line]:
    """One rank's GPU: the card, what is taken of it, what is left. The parts add up to the card."""
    return [*_taken(budget), _line("left", "left", Amount(budget.left_bytes, "estimated"), "for activations")]


def _line(name: str, label: str, amount: Amount, detail: str = "", *, inside: bool | None = None) -> Line:
    return Line(name, label, amount.bytes, amount.origin, amount.error_bytes, detail or amount.source, inside)


def _taken(budget: GpuBudget) -> Iterator[Line]:
    if budget.total_bytes is not None:
        yield Line("card", "card", budget.total_bytes, "measured", 0, "as nvidia-smi prints it")
        overhead = budget.total_bytes - budget.free_before.bytes
        detail = "context, driver, collectives"
        yield Line("overhead", "overhead", overhead, budget.free_before.origin, budget.free_before.error_bytes, detail)
    else:
        yield _line("free", "free before load", budget.free_before)
    yield _line("weights", "weights", budget.weights, inside=True)
    if budget.draft_weights is not None:
        yield _line("draft_weights", "draft weights", budget.draft_weights, inside=budget.draft_weights_inside)
    yield from _pools(budget)
    if budget.draft_outside_bytes:
        detail = f"{budget.tokens:,} tokens × {budget.cell.draft_allocated:,} B, outside the fraction"
        yield Line("draft_kv", "draft KV", budget.draft_outside_bytes, "computed", 0, detail, inside=False)
    for name, label, size, detail in (
        ("multimodal", "multimodal cache", budget.multimodal_bytes, "kept out of the KV budget"),
        ("request_table", "request table", budget.request_table_bytes, "requests × context × 4 B"),
    ):
        if size:
            yield Line(name, label, size, "computed", 0, detail, inside=False)
    if budget.graph_bytes:
        error = int(budget.graph_bytes * ERROR)
        yield Line(
            "graphs", "decode graphs", budget.graph_bytes, "estimated", error, "by the largest batch", inside=False
        )
    if budget.unaccounted_bytes:
        detail = "what an observed start took beside all this"
        yield Line("unaccounted", "other", budget.unaccounted_bytes, "measured", 0, detail, inside=False)


def _pools(budget: GpuBudget) -> Iterator[Line]:
    pools, cell = budget.pools, budget.cell
    origin: Origin = "measured" if budget.measured_tokens else "estimated" if budget.error_tokens else "computed"
    error = int(budget.error_tokens * pools.bytes_a_token)
    size = cell.full_allocated or round(pools.bytes_a_token)
    detail = f"{pools.tokens:,} tokens × {size:,} B"
    if cell.full_layers:
        detail += f" ({cell.full_layers} layers)"
    yield Line("kv", "KV pool", pools.kv_bytes, origin, error, detail, inside=True)
    if pools.sliding_bytes:
        detail = f"{pools.sliding_tokens:,} tokens × {cell.sliding_allocated:,} B ({cell.sliding_layers} layers)"
        yield Line("sliding", "window's pool", pools.sliding_bytes, origin, 0, detail, inside=True)
    if pools.state is not None:
        detail = f"{pools.state.count:,} slots × {pools.state.slot_bytes:,} B"
        yield Line("state", "states", pools.state_bytes, origin, 0, detail, inside=True)
    if pools.draft_bytes:
        detail = f"{pools.tokens:,} tokens × {cell.draft_allocated:,} B"
        yield Line("draft_kv", "draft KV", pools.draft_bytes, origin, 0, detail, inside=True)


LABELS = {
    "kv": "host pool",
    "index": "index keys",
    "sliding": "window's host pool",
    "state": "states",
    "draft": "draft's host pool",
    "draft index": "draft's index keys",
}


def host_lines(share: ServiceShare) -> list[Line]:
    """The host pools of one rank, then of all ranks together."""
    lines = []
    for pool in share.rank_pools:
        detail = f"{pool.tokens:,} {'slots' if pool.name == 'state' else 'tokens'} × {pool.token_bytes:,} B"
        if pool.resident_bytes != pool.bytes:
            detail += f", {pool.why_more}"
        label = f"{LABELS[pool.name]}, a rank"
        lines.append(Line(f"rank_{pool.name.replace(' ', '_')}", label, pool.resident_bytes, "computed", 0, detail))
    if share.rank_pools:
        detail = f"{share.ranks} ranks × {share.rank_bytes / 2**30:,.2f} GiB"
        lines.append(Line("pinned", f"pinned by {share.ranks} ranks", share.pinned_bytes, "computed", 0, detail))
    return lines
