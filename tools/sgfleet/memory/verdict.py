"""What the budgets come to, in sentences, the graver first. Each names the value that would work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sgfleet.memory.eras import HOST_PINNING
from sgfleet.memory.units import gib
from sgfleet.memory.window import window_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.memory.host import HostBudget, ServiceShare
    from sgfleet.memory.service import Service

Weight = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence. `help` is what would work instead."""

    weight: Weight
    text: str
    help: str | None = None


def gpu_statements(service: Service) -> Iterator[Statement]:
    """Whether the service starts and has room, and with which fractions."""
    budget = service.budget
    window = window_of(budget)
    asked = budget.fraction.value
    works = f"fractions from {window.low:.3f} to {window.high:.3f} work"
    if window.is_empty:
        yield Statement(
            "error", f"no memory fraction works: weights need {window.low:.3f}, and {window.high:.3f} is the most"
        )
    elif budget.tokens <= 0:
        yield Statement("error", f"memory fraction {asked:.3f} leaves no room for KV rows", works)
    elif asked < window.low + window.low_error:
        yield Statement(
            "warning", f"memory fraction {asked:.3f} is at the edge: {window.low:.3f} ± {window.low_error:.3f}", works
        )
    elif asked > window.high:
        wanted = gib(budget.needed_bytes - budget.graph_bytes)
        left = f"{gib(budget.left_bytes)} are left, and activations want about {wanted}"
        yield Statement("warning", f"memory fraction {asked:.3f} is more than {window.high:.3f}: {left}", works)
    context = service.settings.context_length or service.load.shape.context_length
    if context and 0 < budget.tokens < context:
        yield Statement("warning", f"one request of {context:,} tokens does not fit into {budget.tokens:,} KV tokens")


def host_statements(budget: HostBudget) -> Iterator[Statement]:
    """Whether all host pools fit, by policy and by each engine's own check."""
    for share in budget.shares:
        yield from _share_statements(share)
    left, reserve = budget.left_bytes, budget.facts.reserve_bytes
    if left is None or not any(share.rank_pools for share in budget.shares):
        return
    available = gib(budget.facts.available_bytes or 0)
    pinned = gib(budget.pinned_bytes)
    said = f"host pools pin {pinned} of {available}: {gib(left)} are left, and policy wants {gib(reserve)}"
    if left < 0:
        yield Statement("error", f"host pools pin {pinned}, and only {available} are available")
    elif left < reserve:
        yield Statement("error", said)
    else:
        yield Statement("note", said)


def _share_statements(share: ServiceShare) -> Iterator[Statement]:
    if share.refused is not None:
        unknown = share.refused.startswith("not computed")
        yield Statement("note" if unknown else "error", share.refused)
        return
    help_ = _largest(share)
    check = share.check
    if check is not None:
        match check.verdict:
            case "too-small":
                yield Statement("error", check.arithmetic)
            case "refused":
                yield Statement("error", f"the engine refuses: {check.arithmetic}", help_)
            case "order":
                text = f"starts or not depending on the order of the ranks: {check.arithmetic}"
                yield Statement("error", text, help_)
            case "unsummed":
                text = f"the engine never sums its ranks: {check.arithmetic}"
                yield Statement("error", text, help_)
            case "passes":
                yield Statement("note", f"the engine's own check passes: {check.arithmetic}")
    for broken in (share.memory_max, share.memlock, share.numa):
        if broken is not None:
            yield Statement("warning", broken)
    if help_ is not None:
        yield Statement("note", help_)


def _largest(share: ServiceShare) -> str | None:
    ratios = share.largest
    if ratios is None:
        return None
    parts = []
    for name, value in (("policy", ratios.policy), ("the engine's check in any order of the ranks", ratios.engine)):
        parts.append(f"no ratio by {name}" if value is None else f"{value:.2f} by {name}")
    return f"largest ratio: {', '.join(parts)}"


def pinning_statement(release: str) -> str | None:
    """What a release does with host pools that nobody expects."""
    if HOST_PINNING.at(release) == "power-of-two":
        return f"{release} pins through torch's own allocator, which takes the next power of two"
    return None
