"""A host tier on a machine whose GPU has no memory of its own.

## What it does

Knows GPUs that use the machine's RAM (GB10 of DGX Spark, Jetson Orin and Thor) by their name, and finds
`enable-hierarchical-cache` there.

## Why

The host pool takes the very memory that the KV pool on the GPU is made of: every token that is kept twice is one
token less. A higher memory fraction buys the same tokens once.

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-8B
  enable-hierarchical-cache: true
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA GB10, memory-mib: 122570, compute-capability: "12.1"}
memory: {total-bytes: 128523948032}
```

## Good

```yaml
flags:
  model-path: Qwen/Qwen3-8B
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA GB10, memory-mib: 122570, compute-capability: "12.1"}
memory: {total-bytes: 128523948032}
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.memory._budget import gib
from sgfleet.rules.memory._removal import removal
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM018", "unified-memory", Severity.WARNING, "machine")

_UNIFIED = re.compile(r"\b(GB10|Orin|Thor)\b", re.IGNORECASE)


def check(view: MachineView) -> Iterator[Problem]:
    """The same memory twice."""
    args, facts = arguments(view), view.facts
    if args is None or facts is None or not args.on("enable-hierarchical-cache"):
        return
    shared = next((gpu for gpu in facts.gpus or () if _UNIFIED.search(gpu.name)), None)
    if shared is None:
        return
    total = facts.memory.total_bytes
    yield Problem(
        args.route("enable-hierarchical-cache"),
        "the host pool takes the memory that the GPU works with: this machine has one memory for both",
        arithmetic=(f"GPU and host together have {gib(total)}",) if total else (),
        help=f"{removal(view)}; then raise mem-fraction-static by what the host pool would have taken",
        based_on=(f"hosts/{view.host}/facts.yaml gpus",),
    )
