"""Services on one GPU whose memory fractions do not go together.

## What it does

Where two services use the same GPU (HST002, which a waiver may accept), starts them on paper in both orders: a fraction
counts of what is free when a service starts, so the second one gets its share of what the first has left.
Of several that a service shares a GPU with, the worst is reported.

## Why

Fractions are no shares of the card that add up: 0.4 and 0.4 are 40 % and 24 % of it. The service that starts second
gets a small KV pool, or does not start, and after the next reboot it may be the other one.

## Bad

```yaml
services:
  one:
    gpus: [0]
    flags: {model-path: Qwen/Qwen3-8B, port: 30000, mem-fraction-static: 0.8}
  two:
    gpus: [0]
    flags: {model-path: Qwen/Qwen3-8B, port: 30100, mem-fraction-static: 0.8}
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 270000000000}
```

## Good

```yaml
services:
  one:
    gpus: [0]
    flags: {model-path: Qwen/Qwen3-8B, port: 30000, mem-fraction-static: 0.8}
  two:
    gpus: [1]
    flags: {model-path: Qwen/Qwen3-8B, port: 30100, mem-fraction-static: 0.8}
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
  - {index: 1, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 270000000000}
```

## See also

HST002
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from sgfleet.findings import Severity
from sgfleet.rules.gpus import gpus_of
from sgfleet.rules.memory._budget import counted_bytes, gib, known
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.memory.device import GpuBudget
    from sgfleet.rules.memory._budget import Known
    from sgfleet.rules.rule import HostView

RULE = Rule("MEM005", "shared-gpu", Severity.ERROR, "host")


class _Second(NamedTuple):
    """What the service that starts second gets."""

    tokens: int
    surely: bool
    line: str


class _Pair(NamedTuple):
    """Two services that share a GPU, and what the second one gets in either order.

    `least_bytes` is what both take with no KV pool at all, of `free_bytes`.
    """

    other: str
    orders: tuple[_Second, _Second]
    least_bytes: int
    free_bytes: int

    @property
    def tokens(self) -> int:
        """In the worse order."""
        return min(order.tokens for order in self.orders)

    @property
    def surely(self) -> bool:
        """Neither order leaves room, whatever the error of the estimate."""
        return all(order.tokens <= 0 and order.surely for order in self.orders)


def check(view: HostView) -> Iterator[Problem]:
    """For each service the one before it that it gets on with worst, in both orders."""
    if len(view.services) < 2 or view.facts is None or not view.facts.gpus:
        return
    taken = {name: gpus_of(service) for name, service in view.services.items()}
    budgets: dict[tuple[str, int], GpuBudget] = {}
    pairs: dict[str, list[_Pair]] = {}
    for first, second in combinations(view.services, 2):
        one, two = taken[first], taken[second]
        if (one is not None and two is not None and not one & two) or one == frozenset() or two == frozenset():
            continue
        before, after = known(view.services[first]), known(view.services[second])
        if before is None or after is None:
            continue
        orders = _second(first, before, second, after, budgets), _second(second, after, first, before, budgets)
        least = sum(counted_bytes(each.budget) + each.budget.needed_bytes for each in (before, after))
        free = min(each.budget.free_before.bytes for each in (before, after))
        pairs.setdefault(second, []).append(_Pair(first, orders, least, free))
    for name, found in pairs.items():
        yield _problem(view, name, found)


def _problem(view: HostView, name: str, pairs: list[_Pair]) -> Problem:
    worst = min(pairs, key=lambda pair: (not pair.surely, pair.tokens))
    comes_to = "has no room for a KV pool" if worst.tokens <= 0 else f"gets {worst.tokens:,} KV tokens or more"
    more = f" (the worst of {len(pairs)} that share with {name})" if len(pairs) > 1 else ""
    return Problem(
        ("services", name, "flags", "mem-fraction-static"),
        f"{worst.other} and {name} share a GPU: the one that starts second {comes_to}{more}",
        arithmetic=tuple(order.line for order in worst.orders),
        help=_help(worst),
        based_on=(
            f"hosts/{view.host}/facts.yaml gpus",
            "SGLang takes the fraction of the memory free at its start",
        ),
        related=((("services", worst.other, "gpus"), worst.other),),
        severity=None if worst.surely else Severity.WARNING,
    )


def _help(pair: _Pair) -> str:
    if pair.least_bytes > pair.free_bytes:
        both = f"without any KV pool both take {gib(pair.least_bytes)} of the {gib(pair.free_bytes)} that are free"
        return f"give each a GPU of its own: {both}"
    return (
        "a fraction counts of what is free at the start: give the second one a share of the rest, and an order"
        " with `unit.after`; or give each a GPU of its own"
    )


def _second(name: str, first: Known, other: str, second: Known, budgets: dict[tuple[str, int], GpuBudget]) -> _Second:
    """`budgets` are those that are known already: service, bytes that another one has left -> its budget then."""
    from sgfleet.memory.device import gpu_budget
    from sgfleet.memory.observed import Observed
    from sgfleet.memory.units import GIB

    begin = first.budget
    left = max(0, begin.left_bytes)
    if left == 0:  # no budget starts from nothing: gpu_budget() takes it for a mistake in what was observed
        counted, doubt = counted_bytes(second.budget), begin.free_before.error_bytes + begin.weights.error_bytes
        surely = counted > doubt + second.budget.weights.error_bytes
        line = f"{name} first: 0.00 GiB are left, and weights of {other} take {gib(counted)}"
        return _Second(0, surely, f"{line}: 0 tokens")
    if (other, left) not in budgets:
        observed = Observed(free_before_gib=left / GIB)
        budgets[other, left] = gpu_budget(
            second.service.settings, second.service.load, second.service.hardware, observed
        )
    budget = budgets[other, left]
    error = begin.free_before.error_bytes + begin.weights.error_bytes + budget.weights.error_bytes
    rest = budget.rest_bytes
    said = f"{name} first: {gib(left)} are left, {budget.fraction.value:.3f} × {gib(left)} - weights = {gib(rest)}"
    return _Second(budget.tokens if rest > 0 else 0, rest + error < 0, f"{said} for {other}: {budget.tokens:,} tokens")
