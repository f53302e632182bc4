"""Host pools that the RAM of the host cannot hold.

## What it does

Adds up the host pools of all services over all their ranks, and holds the sum against the RAM that is available with
no service running (or all RAM, where only that is known). Within the error of the KV pool it is a warning.

## Why

Host pools are pinned: they cannot be swapped out. Each rank of older releases looks at what is free for itself alone,
so eight ranks that all fit by themselves are killed together by the kernel, and other processes of the host with them.

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-8B
  tp-size: 2
  enable-hierarchical-cache: true
  hicache-ratio: 4.0
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
  - {index: 1, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 135000000000, available-bytes: 128000000000}
```

## Good

```yaml
flags:
  model-path: Qwen/Qwen3-8B
  tp-size: 2
  enable-hierarchical-cache: true
  hicache-ratio: 1.3
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
  - {index: 1, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 135000000000, available-bytes: 128000000000}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.memory._budget import gib
from sgfleet.rules.memory._pools import pools_of, ratio_help
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import HostView

RULE = Rule("MEM010", "host-pools-over-ram", Severity.ERROR, "host")


def check(view: HostView) -> Iterator[Problem]:
    """More is pinned than there is."""
    services = {name: pools for name, each in view.services.items() if (pools := pools_of(each)) is not None}
    if not services:
        return
    budget = next(iter(services.values())).memory.host
    available, pinned = budget.facts.available_bytes, budget.pinned_bytes
    error = budget.error_bytes
    if available is None or pinned + error <= available:
        return
    if 0 <= available - pinned < budget.facts.reserve_bytes:
        return  # MEM011 says it
    from sgfleet.memory.units import gib_within

    surely = pinned - error > available
    name = max(services, key=lambda each: services[each].share.pinned_bytes)
    size = gib_within(pinned, error)
    what = "all its RAM" if budget.facts.assumed else "available with no service running"
    yield Problem(
        ("services", name, *services[name].route),
        f"host pools {'do' if surely else 'may'} not fit: {size} are pinned of {gib(available)}",
        arithmetic=(
            *(f"{each}: {line}" for each, pools in services.items() for line in pools.sums),
            f"{view.host} has {gib(available)}, {what}",
            f"{gib(available)} - {gib(pinned)} = {gib(available - pinned)}",
        ),
        help=ratio_help(services[name]),
        based_on=(f"hosts/{view.host}/facts.yaml memory", f"SGLang {services[name].service.settings.release}"),
        severity=None if surely else Severity.WARNING,
    )
