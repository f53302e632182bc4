"""A `hicache-size` beside which more is pinned.

## What it does

Compares what a rank pins for the pools that `hicache-size` counts for with the size: releases before 0.5.4.post2 pin
the next power of two. What a rank pins beside them is a note: index keys of sparse attention, the draft's rows, and in
releases before 0.5.17 each further pool of a hybrid model.

## Why

Whoever plans the RAM with size × ranks plans too little, and the kernel kills at the last rank.

## Bad

```yaml
release: "0.5.3"
flags:
  model-path: Qwen/Qwen3-8B
  tp-size: 2
  enable-hierarchical-cache: true
  hicache-size: 20
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
release: "0.5.9"
flags:
  model-path: Qwen/Qwen3-8B
  tp-size: 2
  enable-hierarchical-cache: true
  hicache-size: 20
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
from sgfleet.rules.memory._pools import pools_of
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.memory._pools import Pools
    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM016", "host-pool-beyond-size", Severity.WARNING, "machine")

_NAMES = {
    "index": "index keys",
    "sliding": "the window's pool",
    "state": "the states",
    "draft": "the draft's pool",
    "draft index": "the draft's index keys",
}


def check(view: MachineView) -> Iterator[Problem]:
    """More than the size."""
    found = pools_of(view)
    hicache = None if found is None else found.service.settings.hicache
    if found is None or hicache is None or found.share.ratio is not None:
        return
    asked = int(hicache.size_gb * 10**9)
    if not asked:
        return
    from sgfleet.memory.sizes import ROUNDING, counted, counted_bytes

    release, share = view.service.release, found.share
    rank = counted_bytes(release, share.rank_pools)
    beside = share.rank_bytes - rank
    based_on = (f"SGLang {release}, srt/mem_cache", found.service.load.shape.source.name)
    size = f"hicache-size is {hicache.size_gb:g} GB ({gib(asked)})"
    if rank > asked * (1 + ROUNDING):
        yield Problem(
            found.route,
            f"a rank pins {gib(rank)}, and {size}",
            arithmetic=found.sums,
            help=_help(found),
            based_on=based_on,
        )
    if beside > asked * ROUNDING:
        names = " and ".join(_NAMES[pool.name] for pool in share.rank_pools if pool.name not in counted(release))
        total = share.pinned_bytes / 10**9
        yield Problem(
            found.route,
            f"a rank pins {gib(beside)} beside its {gib(rank)}: {size}, and {names} come on top of it",
            arithmetic=(*found.sums, f"{share.ranks} ranks: {total:,.0f} GB, not {asked / 10**9 * share.ranks:,.0f}"),
            based_on=based_on,
            severity=Severity.NOTE,
        )


def _help(found: Pools) -> str | None:
    from sgfleet.memory.host_pools import host_pools, total_bytes
    from sgfleet.memory.sizes import as_said

    hicache, sizes = found.service.settings.hicache, found.share.sizes
    if hicache is None or sizes is None:
        return None
    stage = max(found.service.stages, key=lambda each: total_bytes(host_pools(each, hicache)))
    size = as_said(stage, hicache, sizes)
    return None if size is None else f"hicache-size {size} pins what it says"
