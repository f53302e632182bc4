"""Host pools that the control group of the service cannot hold.

## What it does

Adds the engine's own processes (a rule of thumb, within half) to the host pools of a service's ranks, and holds the sum
against `memory-max` of the unit and the control groups above it. Where `hicache-size` alone shows it, CMB004 says so.

## Why

Pinned memory counts in the control group. When it is full the kernel kills a process of the service, in the middle of
the start or, if the rest just fits, at the first large batch.

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-8B
  tp-size: 2
  enable-hierarchical-cache: true
  hicache-ratio: 1.3
unit:
  memory-max: 32GiB
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
unit:
  memory-max: 112GiB
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
from sgfleet.spec.quantities import enough

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.memory._pools import Pools
    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM013", "host-pool-over-cgroup", Severity.ERROR, "machine")


def check(view: MachineView) -> Iterator[Problem]:
    """More than the control group allows."""
    found = pools_of(view)
    bound = None if found is None else found.service.limits.group_bytes
    if found is None or bound is None:
        return
    share, own = found.share, view.service.unit.memory_max
    size_gb = found.args.integer("hicache-size") or 0
    engine = found.service.engine_bytes
    total = share.pinned_bytes + engine.bytes
    if total <= bound or (isinstance(own, int) and size_gb > 0 and size_gb * 10**9 * share.ranks >= own):
        return
    hard = found.service.limits.memory_max_bytes
    surely = hard is not None and total - found.error_bytes - engine.error_bytes > hard
    is_own = bound in (own, view.service.unit.memory_high)
    name = ("memory-max" if bound == own else "memory-high") if is_own else "the control group above the service"
    yield Problem(
        found.route,
        f"host pools and processes {'take' if surely else 'may take'} {gib(total)}, and {name} is {gib(bound)}",
        arithmetic=(
            *found.sums,
            f"{gib(share.pinned_bytes)} + about {gib(engine.bytes)} of the engine's processes = {gib(total)}",
        ),
        help="; ".join(_ways(found, name, total)),
        based_on=("unit" if is_own else f"hosts/{view.host}/facts.yaml limits", f"SGLang {view.service.release}"),
        related=((("unit", name), "the limit"),) if is_own else (),
        severity=None if surely else Severity.WARNING,
    )


def _ways(found: Pools, name: str, total: int) -> Iterator[str]:
    """A wider bound, unless the host itself has no such RAM, and smaller pools."""
    bound, ram = total + total // 10, found.memory.host.facts.total_bytes
    fits = ram is None or bound <= ram
    if fits:
        yield f"{name} of at least {enough(bound)}"
    if found.share.largest is not None or not fits:
        smaller = ratio_help(found)
        yield f"or {smaller}" if fits and not smaller.startswith("no ") else smaller
