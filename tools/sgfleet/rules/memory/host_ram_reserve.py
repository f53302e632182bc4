"""Host pools that leave less RAM than the policy keeps.

## What it does

Takes the host pools of all services off the RAM that is available with no service running, and compares what is left
with `policy.reserve.host-ram`. Within the error of the KV pool it is a warning.

## Why

What is left serves the engine's own processes (about 2 GiB a rank), the page cache through which the next start reads
its weights, and the system. Where it is short, the kernel begins to kill.

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-8B
  tp-size: 2
  enable-hierarchical-cache: true
  hicache-ratio: 2.0
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

RULE = Rule("MEM011", "host-ram-reserve", Severity.ERROR, "host")


def check(view: HostView) -> Iterator[Problem]:
    """Less is left than policy wants."""
    services = {name: pools for name, each in view.services.items() if (pools := pools_of(each)) is not None}
    if not services:
        return
    budget = next(iter(services.values())).memory.host
    available, pinned, reserve = budget.facts.available_bytes, budget.pinned_bytes, budget.facts.reserve_bytes
    if available is None or not 0 <= available - pinned < reserve:
        return
    there = "of RAM in all" if budget.facts.assumed else "available"
    surely = available - pinned + budget.error_bytes < reserve
    name = max(services, key=lambda each: services[each].share.pinned_bytes)
    engine = sum(share.engine_bytes for share in budget.shares)
    yield Problem(
        ("services", name, *services[name].route),
        f"host pools {'leave' if surely else 'may leave'} {gib(available - pinned)}, and policy keeps {gib(reserve)}",
        arithmetic=(
            *(f"{each}: {line}" for each, pools in services.items() for line in pools.sums),
            f"{gib(available)} {there} - {gib(pinned)} pinned = {gib(available - pinned)}",
            f"of it about {gib(engine)} go to the engines' own processes",
        ),
        help=ratio_help(services[name]),
        based_on=(f"hosts/{view.host}/facts.yaml memory", "policy.reserve.host-ram"),
        severity=None if surely else Severity.WARNING,
    )
