"""What the budgets come to, in sentences, the graver first. Each names the value that would work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sgfleet.memory.architectures import first_release
from sgfleet.memory.era import from_release
from sgfleet.memory.eras import HOST_PINNING
from sgfleet.memory.units import gib, gib_within
from sgfleet.memory.window import window_of
from sgfleet.model.weights import undivided, undivided_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.memory.host import HostBudget, ServiceShare
    from sgfleet.memory.service import Service
    from sgfleet.memory.window import Window

Weight = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence. `help` is what would work instead; what `check` says has its code and its arithmetic."""

    weight: Weight
    text: str
    help: str | None = None
    code: str | None = None
    arithmetic: tuple[str, ...] = ()


def gpu_statements(service: Service) -> Iterator[Statement]:
    """Whether the service starts and has room, and with which fractions."""
    yield from _undivided(service)
    budget = service.budget
    window = window_of(budget)
    asked = budget.fraction.value
    works = _works(window)
    if window.is_empty:
        yield Statement(
            "error", f"no memory fraction works: weights need {window.low:.3f}, and {window.high:.3f} is the most"
        )
    elif budget.tokens <= 0:
        yield Statement("error", f"memory fraction {asked:.3f} leaves no room for KV rows", works)
    elif asked < window.sure_low:
        yield Statement(
            "warning", f"memory fraction {asked:.3f} is at the edge: {window.low:.3f} ± {window.low_error:.3f}", works
        )
    elif budget.left_bytes < 0:
        yield Statement(
            "error", f"memory fraction {asked:.3f} takes {gib(-budget.left_bytes)} more than the GPU has", works
        )
    elif asked > window.high:
        wanted = gib(budget.needed_bytes - budget.graph_bytes)
        left = f"{gib(budget.left_bytes)} are left, and activations want about {wanted}"
        yield Statement("warning", f"memory fraction {asked:.3f} is more than {window.high:.3f}: {left}", works)
    yield from gpu_remarks(service)
    yield from _architecture(service)
    context = service.settings.context_length or service.load.shape.context_length
    asked_for = service.settings.context_length is not None
    capped = asked_for and (service.settings.max_total_tokens or context or 0) < (context or 0)
    if context and 0 < budget.tokens < context and not capped:
        weight: Weight = "warning" if asked_for else "note"  # as MEM004 does
        yield Statement(weight, f"one request of {context:,} tokens does not fit into {budget.tokens:,} KV tokens")


def _works(window: Window) -> str:
    """The fractions to write; of an end that is not known none is made up."""
    if not window.is_known:
        return f"which fractions work is not known: the most is {window.high:.3f} ± {window.high_error:.3f}"
    if window.good is None:
        return f"none is sure: {window.low:.3f} ± {window.low_error:.3f} to {window.high:.3f} ± {window.high_error:.3f}"
    low, high = window.good
    return f"fractions from {low:.3f} to {high:.3f} work"


def _undivided(service: Service) -> Iterator[Statement]:
    """Heads that leave a rest among the ranks: `sgfleet check` refuses them as well."""
    ranks = service.settings.attention_tp
    for heads in undivided(service.load.shape, ranks):
        below = max(size for size in range(1, ranks) if heads % size == 0)
        above = next((size for size in range(ranks + 1, heads + 1) if heads % size == 0), None)
        near = (
            f"{below} or {above} ways divide" if above else f"{below} {'way divides' if below == 1 else 'ways divide'}"
        )
        yield Statement("error", undivided_words(heads, ranks), f"{near} them")


def gpu_remarks(service: Service) -> Iterator[Statement]:
    """What is worth knowing and no verdict: an observed start whose pool no weights of this checkpoint explain."""
    budget, observed = service.budget, service.observed
    if budget.implied_fraction is None or observed is None or not observed.kv_tokens:
        return
    unexplained = budget.unexplained_bytes
    more = "more" if unexplained > 0 else "less"
    text = f"the observed start had {gib(abs(unexplained))} {more} for its {observed.kv_tokens:,} KV tokens than its"
    text += f" settings give: a memory fraction of {budget.implied_fraction:.3f} would explain it"
    text += ": compare mem_fraction_static in its start-up log, which sgfleet observe keeps"
    yield Statement("note", text)


def _architecture(service: Service) -> Iterator[Statement]:
    """Whether the release has the model at all. (A package of models or transformers may stand in.)"""
    architecture, release = service.load.shape.architecture, service.settings.release
    first = first_release(architecture)
    if first is not None and not from_release(release, first):
        text = f"SGLang {release} has no implementation of {architecture} of its own"
        yield Statement("warning", text, f"it came with {first}")


def host_statements(budget: HostBudget) -> Iterator[Statement]:
    """Whether all host pools fit: by each engine's own check, then by policy."""
    for share in budget.shares:
        yield from share_statements(share)
    yield from ram_statements(budget)


def ram_statements(budget: HostBudget) -> Iterator[Statement]:
    """Whether the pools of all services together leave what policy wants."""
    left, reserve, error = budget.left_bytes, budget.facts.reserve_bytes, budget.error_bytes
    if left is None or not any(share.rank_pools and not _mirrors_nothing(share) for share in budget.shares):
        return
    available = gib(budget.facts.available_bytes or 0) + (" (all its RAM)" if budget.facts.assumed else "")
    pinned = gib_within(budget.pinned_bytes, error)
    said = f"host pools pin {pinned} of {available}: {gib(left)} are left, and policy wants {gib(reserve)}"
    if 0 <= left < reserve:
        yield Statement("error" if left + error < reserve else "warning", said)
    elif left + error < 0:
        yield Statement("error", f"host pools pin {pinned}, and only {available} are available")
    elif left < error:
        yield Statement("warning", f"host pools may not fit: they pin {pinned}, and {available} are available")
    else:
        yield Statement("note", said)


def share_statements(share: ServiceShare) -> Iterator[Statement]:
    """Whether one service's host pools pass its release's own check and systemd's bounds; the largest ratio last."""
    if share.refused is not None:
        unknown = share.refused.startswith("not computed")
        yield Statement("note" if unknown else "error", share.refused)
        return
    if _mirrors_nothing(share):
        return
    largest = _largest(share)
    check = share.check
    refused = check is not None and check.verdict in {"refused", "order", "unsummed"}
    help_ = largest if refused else None
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
    if largest is not None and not refused:
        yield Statement("note", largest)


def _mirrors_nothing(share: ServiceShare) -> bool:
    """Whether there are no KV rows on the GPU: then no start comes as far as to make a host pool, or to check one."""
    return bool(share.rank_pools) and not any(pool.device_tokens for pool in share.rank_pools)


def _largest(share: ServiceShare) -> str | None:
    if share.sizes is not None:
        safe = share.sizes.safe
        return "no hicache-size fits" if safe is None else f"largest hicache-size: {safe} GB a rank"
    ratios = share.largest
    if ratios is None:
        return None
    bounds = [("policy", ratios.policy), ("the engine's check in any order of the ranks", ratios.engine)]
    if ratios.is_limited:
        bounds.append(("the control group and NUMA nodes", ratios.limits))
    return "largest ratio: " + ", ".join(
        f"no ratio by {name}" if value is None else f"{value:.2f} by {name}" for name, value in bounds
    )


def pinning_statement(release: str) -> str | None:
    """What a release does with host pools that nobody expects."""
    if HOST_PINNING.at(release) == "power-of-two":
        return f"{release} pins through torch's own allocator, which takes the next power of two"
    return None
