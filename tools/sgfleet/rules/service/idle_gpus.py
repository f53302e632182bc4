"""GPUs that a service is given and does not use.

## What it does

Compares the ranks on this host with the GPUs that `gpus:` lists. `gpus: all` gives what is there and is not looked
at.

## Why

A GPU that is listed counts as taken, for the rule about GPUs that are used twice and for whoever looks for a free
one. Mostly the parallel size was meant to be larger.

## Bad

```yaml
gpus: [0, 1, 2, 3]
flags:
  tp-size: 2
```

## Good

```yaml
gpus: [0, 1]
flags:
  tp-size: 2
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

    from sgfleet.rules.ranks import Layout
    from sgfleet.rules.rule import ServiceView

RULE = Rule("SRV005", "idle-gpus", Severity.WARNING, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """GPUs without a rank."""
    gpus, args = view.service.gpus, arguments(view)
    if args is None or gpus == "all":
        return
    ranks = layout(args)
    if ranks is None:
        return
    used = set(ranks.devices())
    idle = [index for position, index in enumerate(gpus) if position not in used]
    if idle and ranks.last < len(gpus):
        words = f"GPU{'s' if len(idle) > 1 else ''} {', '.join(map(str, idle))}"
        kept = [index for position, index in enumerate(gpus) if position in used]
        yield Problem(
            ("gpus",),
            f"{words} {'have' if len(idle) > 1 else 'has'} no rank",
            arithmetic=(f"{ranks.sums}; {len(gpus)} GPUs in gpus",),
            help=_help(ranks, kept, len(gpus)),
            based_on=("gpus and the parallel sizes",),
        )


def _help(ranks: Layout, kept: list[int], gpus: int) -> str:
    if ranks.base != 0 or ranks.step != 1:
        return "remove base-gpu-id and gpu-id-step"
    tp, rest = divmod(gpus, ranks.pp * ranks.replicas)
    larger = f", or `tp-size: {tp}` to use them all" if rest == 0 and ranks.nodes == 1 and tp & (tp - 1) == 0 else ""
    return f"write `gpus: {kept}`{larger}"
