"""A `hicache-size` beside which more is pinned.

## What it does

Adds up what a rank pins and compares it with `hicache-size`: index keys of sparse attention, the draft's rows, and
in releases before 0.5.17 every pool of a hybrid model come on top of it; releases before 0.5.4.post2 pin the next power
of two.

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

    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM016", "host-pool-beyond-size", Severity.WARNING, "machine")

_PART = 0.02
"""What rounding to pages may come to."""


def check(view: MachineView) -> Iterator[Problem]:
    """More than the size."""
    found = pools_of(view)
    if found is None or found.share.ratio is not None:
        return
    asked = (found.args.integer("hicache-size") or 0) * 10**9
    rank = found.share.rank_bytes
    if not asked or rank <= asked * (1 + _PART):
        return
    yield Problem(
        found.route,
        f"a rank pins {gib(rank)}, and hicache-size is {asked // 10**9} GB ({gib(asked)})",
        arithmetic=found.sums,
        help=f"plan {rank * found.share.ranks / 10**9:,.0f} GB for {found.share.ranks} ranks,"
        f" or write hicache-size {int(asked / 10**9 * asked / rank)}",
        based_on=(f"SGLang {view.service.release}, srt/mem_cache", found.service.load.shape.source.name),
    )
