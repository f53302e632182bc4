"""A host pool that is larger than the memory a rank may lock.

## What it does

Holds the host pools of one rank against `limit-memlock` of the unit. (UNT005 says that there is a limit at all; here
is what it comes to with a ratio.)

## Why

Registering a pool for the GPU locks it. Past the limit the registration may fail: releases before 0.5.13 do not look
at the return code and run on with a pool that the GPU cannot reach, later ones end.

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-8B
  tp-size: 2
  enable-hierarchical-cache: true
  hicache-ratio: 1.3
unit:
  limit-memlock: 8GiB
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
  limit-memlock: infinity
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
  - {index: 1, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 135000000000, available-bytes: 128000000000}
```

## See also

UNT005
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.memory._budget import gib
from sgfleet.rules.memory._pools import pools_of
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM014", "host-pool-over-memlock", Severity.ERROR, "machine")


def check(view: MachineView) -> Iterator[Problem]:
    """A rank pins more than it may lock."""
    limit = view.service.unit.limit_memlock
    found = pools_of(view) if isinstance(limit, int) else None
    if found is None or not isinstance(limit, int) or found.share.ratio is None:
        return
    rank = found.share.rank_bytes
    if rank <= limit:
        return
    surely = rank - found.error_bytes // max(found.share.ranks, 1) > limit
    yield Problem(
        ("unit", "limit-memlock"),
        f"a rank {'pins' if surely else 'may pin'} {gib(rank)}, and limit-memlock is {gib(limit)}",
        arithmetic=found.sums,
        help="write infinity",
        based_on=("systemd.exec(5), LimitMEMLOCK=", f"SGLang {view.service.release}, srt/mem_cache"),
        related=((found.route, "what decides the pool"),),
        severity=None if surely else Severity.WARNING,
    )
