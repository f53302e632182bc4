"""A list of NUMA nodes without an entry for every GPU.

## What it does

Compares the length of `numa-node` with the highest GPU that a rank takes.

## Why

SGLang looks up the entry by the number of the GPU. The rank whose GPU has none ends with an IndexError after the others
have started.

## Bad

```yaml
flags:
  tp-size: 4
  numa-node: [0, 1]
```

## Good

```yaml
flags:
  tp-size: 4
  numa-node: [0, 0, 1, 1]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.ranks import layout
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("CMB046", "numa-list-too-short", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Fewer nodes than GPUs."""
    args = arguments(view)
    given = args.said("numa-node") if args is not None else None
    if args is None or given is None or not isinstance(given.value, list):
        return
    ranks = layout(args)
    if ranks is None:
        return
    needed = ranks.last + 1
    if len(given.value) < needed:
        yield Problem(
            given.route,
            f"numa-node has {len(given.value)} entries for {needed} GPUs",
            arithmetic=(ranks.sums,),
            help=f"write {needed} nodes, one for each GPU",
            based_on=(f"SGLang {view.service.release}, srt/utils",),
        )
