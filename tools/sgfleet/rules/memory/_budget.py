"""What rules about memory ask of a view, and how they write sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sgfleet.rules.arguments import arguments

if TYPE_CHECKING:
    from sgfleet.memory.amount import Amount
    from sgfleet.memory.device import GpuBudget
    from sgfleet.memory.of_host import HostMemory
    from sgfleet.memory.service import Service
    from sgfleet.memory.window import Window
    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import MachineView


class Known(NamedTuple):
    """A service of which everything is known that its budget needs."""

    args: Arguments
    memory: HostMemory
    service: Service
    budget: GpuBudget
    window: Window


def known(view: MachineView) -> Known | None:
    """The budget of a view's service; None where it cannot be computed, which MEM030 says."""
    args = arguments(view)
    if args is None or view.memory is None or view.facts is None or not view.facts.gpus:
        return None
    memory = view.memory()
    window = memory.window(view.name)
    if window is None:
        return None
    service, budget = memory.service(view.name), memory.budget(view.name)
    return Known(args, memory, service, budget, window)  # type: ignore[arg-type]  # there is a window: both are known


def gib(size_bytes: float) -> str:
    """Bytes -> "41.70 GiB"."""
    return f"{size_bytes / 2**30:,.2f} GiB"


def amount(size: Amount) -> str:
    """Bytes with their error: "30.60 GiB ± 0.92"."""
    from sgfleet.memory.units import gib_within

    return gib_within(size.bytes, size.error_bytes)


def free_sum(budget: GpuBudget) -> str:
    """What is free on a GPU before the service loads."""
    if budget.total_bytes is None:
        return f"free before loading: {amount(budget.free_before)}"
    overhead = budget.total_bytes - budget.free_before.bytes
    return (
        f"GPU {gib(budget.total_bytes)} - {gib(overhead)} context and collectives = {amount(budget.free_before)} free"
    )


def weights_sum(budget: GpuBudget) -> str:
    """The weights of a rank, with where the figure comes from."""
    said = f"weights {amount(budget.weights)} a rank ({budget.weights.origin}: {budget.weights.source})"
    if budget.draft_weights is not None:
        said += f", draft {amount(budget.draft_weights)}"
    return said


def counted_bytes(budget: GpuBudget) -> int:
    """What comes out of the memory fraction before the KV pool does."""
    return budget.free_before.bytes - budget.slack_bytes - budget.rest_bytes


def sources(view: MachineView, budget: GpuBudget) -> tuple[str, ...]:
    """What a verdict about a GPU was decided from."""
    return f"hosts/{view.host}/facts.yaml gpus", budget.weights.source, f"SGLang {view.service.release}"
