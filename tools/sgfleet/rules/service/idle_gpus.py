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
from sgfleet.rules.gpus import room_of, shifted, with_gpus
from sgfleet.rules.ranks import layout
from sgfleet.rules.rule import Problem, Rule
from sgfleet.rules.tensor_sizes import tensor_sizes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.ranks import Layout
    from sgfleet.rules.rule import MachineView

RULE = Rule("SRV005", "idle-gpus", Severity.WARNING, "machine")


def check(view: MachineView) -> Iterator[Problem]:
    """GPUs without a rank."""
    gpus, args = view.service.gpus, arguments(view)
    if args is None or gpus == "all" or len(set(gpus)) < len(gpus):  # of a repeated one SRV002 speaks
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
            help=_help(view, args, ranks, kept, idle),
            based_on=("gpus and the parallel sizes",),
        )


def _help(view: MachineView, args: Arguments, ranks: Layout, kept: Sequence[int], idle: Sequence[int]) -> str:
    moving = shifted(args)
    if moving:
        gpus = [*kept, *idle][: ranks.on_host]
        return with_gpus(sorted(gpus, key=list(view.service.gpus).index), view.service, args)
    tp = _tp_of_all(view, ranks, idle)
    return f"write `gpus: {list(kept)}`" + (f", or `tp-size: {tp}` to use them all" if tp is not None else "")


def _tp_of_all(view: MachineView, ranks: Layout, idle: Sequence[int]) -> int | None:
    """The tp-size that takes the idle GPUs too; None where there is none, or where they are not to be had."""
    tp, rest = divmod(len(view.service.gpus), ranks.pp * ranks.replicas)
    left = room_of(view)
    if rest or ranks.nodes > 1 or tp not in tensor_sizes(view, tp):
        return None
    return tp if left is None or set(idle) <= set(left.gpus) else None
