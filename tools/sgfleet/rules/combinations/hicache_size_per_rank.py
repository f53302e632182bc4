"""A host pool size that counts once for every rank.

## What it does

Multiplies `hicache-size` (GB of 10**9 bytes) by the ranks on this host, and holds the product against `memory-max` of
the unit. Without `memory-max`, and with more than one rank, a note says the product. Where nothing keeps a pool,
nothing is pinned, and only CMB044 speaks.

## Why

Every rank pins its own pool of that size: 32 on eight ranks are 256 GB. A service whose cgroup is sized for one pool
is killed when the last ranks allocate theirs.

## Bad

```yaml
flags:
  tp-size: 8
  enable-hierarchical-cache: true
  hicache-size: 32
unit:
  memory-max: 128GiB
```

## Good

```yaml
flags:
  tp-size: 8
  enable-hierarchical-cache: true
  hicache-ratio: 2.0
unit:
  memory-max: 128GiB
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.combinations._rows import host_pool
from sgfleet.rules.ranks import layout
from sgfleet.rules.rule import MachineView, Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("CMB004", "hicache-size-per-rank", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """What `hicache-size` comes to on this host."""
    args = arguments(view)
    given = args.said("hicache-size") if args is not None else None
    if args is None or given is None or not host_pool(args):
        return
    size_gb, ranks = args.integer("hicache-size"), layout(args)
    if size_gb is None or size_gb <= 0 or ranks is None:
        return
    count = ranks.on_host
    total_bytes = size_gb * 10**9 * count
    sums = [f"hicache-size {size_gb} GB × {count} rank{'s' if count > 1 else ''} = {size_gb * count} GB"]
    limit = view.service.unit.memory_max
    if isinstance(limit, int):
        if total_bytes < limit:
            return
        sums.append(f"memory-max {limit / 10**9:.1f} GB ({limit / 2**30:.1f} GiB)")
        yield Problem(
            given.route,
            f"the host pools take {size_gb * count} GB, more than memory-max allows",
            arithmetic=tuple(sums),
            help=_help(view, limit, count),
            based_on=(f"SGLang {view.service.release}, srt/mem_cache", "unit.memory-max"),
            related=((("unit", "memory-max"), "the limit"),),
        )
    elif count > 1:
        yield Problem(
            given.route,
            f"hicache-size counts for every rank: {size_gb * count} GB of RAM are pinned",
            arithmetic=tuple(sums),
            based_on=(f"SGLang {view.service.release}, srt/mem_cache",),
            severity=Severity.NOTE,
        )


def _help(view: ServiceView, limit: int, ranks: int) -> str:
    """The largest size that the budget's own search finds; without a budget what the engine's processes leave."""
    from sgfleet.memory.service import ENGINE_BASE_BYTES, ENGINE_RANK_BYTES
    from sgfleet.rules.memory._pools import pools_of, ratio_help
    from sgfleet.rules.memory._removal import removal

    found = pools_of(view) if isinstance(view, MachineView) else None
    if found is not None and found.share.sizes is not None:
        return ratio_help(found)
    size = (limit - ENGINE_BASE_BYTES - ranks * ENGINE_RANK_BYTES) // ranks // 10**9
    if size <= 0:
        return f"memory-max holds no host pool beside the engine's own processes: raise it, or {removal(view)}"
    return f"hicache-size {size} at most: the engine's own processes need memory besides"
