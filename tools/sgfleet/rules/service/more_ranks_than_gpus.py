"""More ranks than GPUs.

## What it does

Multiplies the parallel sizes (`tp-size`, `pp-size`, and `dp-size` unless attention data parallelism splits the same
ranks), divides by `nnodes`, and compares the ranks of this host with the GPUs that the service is given: those in
`gpus:`, or all that the facts show. `base-gpu-id` and `gpu-id-step` count.

## Why

Every rank takes one GPU. SGLang starts a process for each, and the one whose GPU does not exist fails with "invalid
device ordinal" while the others wait for it.

## Bad

```yaml
gpus: [0, 1, 2, 3]
flags:
  tp-size: 8
```

## Good

```yaml
gpus: [0, 1, 2, 3]
flags:
  tp-size: 4
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

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.ranks import Layout
    from sgfleet.rules.rule import MachineView

RULE = Rule("SRV004", "more-ranks-than-gpus", Severity.ERROR, "machine")


def check(view: MachineView) -> Iterator[Problem]:
    """Ranks without a GPU."""
    args = arguments(view)
    service, facts = view.service, view.facts
    gpus = len(set(service.gpus)) if service.gpus != "all" else len(facts.gpus) if facts and facts.gpus else None
    ranks = layout(args) if args is not None else None
    if args is None or ranks is None or gpus is None or not _on_gpus(args):
        return
    last = ranks.last
    if last < gpus:
        return
    given = "in gpus" if service.gpus != "all" else f"on {view.host}"
    have = f"{gpus} GPU{'s' if gpus != 1 else ''} {given}"
    if ranks.on_host > gpus:
        message = f"{ranks.on_host} rank{'s' if ranks.on_host != 1 else ''} need as many GPUs, and there are {have}"
    else:
        message = f"base-gpu-id and gpu-id-step lead to GPU {last}, and there are {have}"
    step = (
        f"; base-gpu-id {ranks.base}, gpu-id-step {ranks.step}: the last one is GPU {last}"
        if ranks.base or ranks.step > 1
        else ""
    )
    widest = next((name for name in ("tp-size", "dp-size", "pp-size") if args.said(name)), "tp-size")
    yield Problem(
        args.route("base-gpu-id" if ranks.on_host <= gpus and args.said("base-gpu-id") else widest),
        message,
        arithmetic=(f"{ranks.sums}; {have}{step}",),
        help=_help(view, args, ranks, gpus),
        based_on=(f"hosts/{view.host}/facts.yaml" if service.gpus == "all" else "gpus",),
        related=((("gpus",), "the GPUs"),) if service.gpus != "all" else (),
    )


def _on_gpus(args: Arguments) -> bool:
    return args.text("device") in (None, "auto", "cuda")


def _help(view: MachineView, args: Arguments, ranks: Layout, gpus: int) -> str | None:
    if ranks.on_host <= gpus:
        return "lower base-gpu-id or gpu-id-step"
    if ranks.on_host == ranks.tp and gpus > 0:
        size = _size(view, str(args.route("tp-size")[-1]), gpus)
        fewer = f"give {ranks.on_host} GPUs" if size is None else f"write tp-size {size}, or give {ranks.on_host} GPUs"
        return f"{fewer}: no smaller tp-size works" if size is None else fewer
    return f"give {ranks.on_host} GPUs, or lower the sizes"


def _size(view: MachineView, name: str, gpus: int) -> int | None:
    """The most ranks that the GPUs are enough for and of which no rule about the model says anything new."""
    if view.memory is None:
        return gpus
    from sgfleet.rules.memory._tried import Tries

    tries = Tries(view, "")
    smaller = [2**power for power in range(10, -1, -1) if 2**power < gpus]
    return next((size for size in (gpus, *smaller) if tries.is_one or not tries.outcome({name: size}).said), None)
