"""Host pools that do not fit into the NUMA node that their ranks are bound to.

## What it does

Releases 0.5.8 and 0.5.9 bind each rank to the NUMA node of its GPU before it makes its host pool. Adds up the pools of
the ranks on each node and holds them against what that node can have free.

## Why

There may be plenty of RAM on the other node: the pool goes to this one, which reclaims all its page cache, and then the
kernel kills although `free` shows room.

## Bad

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
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9", numa-node: 0}
  - {index: 1, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9", numa-node: 0}
  - {index: 2, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9", numa-node: 1}
memory: {total-bytes: 135000000000, available-bytes: 128000000000}
numa:
  - {node: 0, total-bytes: 67500000000}
  - {node: 1, total-bytes: 67500000000}
```

## Good

```yaml
flags:
  model-path: Qwen/Qwen3-8B
  tp-size: 2
  enable-hierarchical-cache: true
  disable-hicache-numa-detect: true
  hicache-ratio: 1.3
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9", numa-node: 0}
  - {index: 1, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9", numa-node: 0}
  - {index: 2, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9", numa-node: 1}
memory: {total-bytes: 135000000000, available-bytes: 128000000000}
numa:
  - {node: 0, total-bytes: 67500000000}
  - {node: 1, total-bytes: 67500000000}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.memory._pools import pools_of, ratio_help
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM015", "host-pool-over-numa-node", Severity.WARNING, "machine")


def check(view: MachineView) -> Iterator[Problem]:
    """More than a node has."""
    found = pools_of(view)
    if found is None or found.share.numa is None:
        return
    yield Problem(
        found.route,
        f"host pools may not fit into one NUMA node: {found.share.numa}",
        arithmetic=found.sums,
        help=f"add `disable-hicache-numa-detect: true`, or spread the ranks over the nodes; or {ratio_help(found)}",
        based_on=(f"hosts/{view.host}/facts.yaml numa", f"SGLang {view.service.release}, srt/mem_cache"),
    )
