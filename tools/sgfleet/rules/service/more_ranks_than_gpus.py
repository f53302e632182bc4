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
        help=_help(ranks.on_host, gpus, ranks.tp),
        based_on=(f"hosts/{view.host}/facts.yaml" if service.gpus == "all" else "gpus",),
        related=((("gpus",), "the GPUs"),) if service.gpus != "all" else (),
    )


def _on_gpus(args: Arguments) -> bool:
    return args.text("device") in (None, "auto", "cuda")


def _help(ranks: int, gpus: int, tp: int) -> str | None:
    if ranks <= gpus:
        return "lower base-gpu-id or gpu-id-step"
    if ranks == tp and gpus > 0:
        return f"write tp-size {gpus}, or give {ranks} GPUs"
    return f"give {ranks} GPUs, or lower the sizes"
