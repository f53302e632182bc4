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
from sgfleet.rules.gpus import room_of, shifted, with_gpus
from sgfleet.rules.ranks import layout
from sgfleet.rules.rule import Problem, Rule
from sgfleet.rules.tensor_sizes import tensor_sizes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
    there = "is" if gpus == 1 else "are"
    have = f"{gpus} GPU{'s' if gpus != 1 else ''} {given}"
    if ranks.on_host > gpus:
        message = f"{ranks.on_host} rank{'s' if ranks.on_host != 1 else ''} need as many GPUs, and there {there} {have}"
    else:
        message = f"base-gpu-id and gpu-id-step lead to GPU {last}, and there {there} {have}"
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


def _help(view: MachineView, args: Arguments, ranks: Layout, gpus: int) -> str:
    """A tp-size that the GPUs suffice for, or GPUs that suffice for the ranks; in words where there is neither."""
    ways = []
    if ranks.on_host > gpus and (size := _size(view, args, ranks, gpus)) is not None:
        ways.append(size)
    if (there := _enough(view, ranks)) is not None:
        ways.append(with_gpus(there, view.service, args))
    if ways:
        return ", or ".join(ways)
    if ranks.on_host <= gpus:
        left = room_of(view)
        why = f"{left.lack}; " if left is not None else ""
        return f"{why}give it others with `gpus:` and without {shifted(args)}, on another host if need be"
    return f"give it {ranks.on_host} GPUs, on another host if need be, or lower the sizes"


def _size(view: MachineView, args: Arguments, ranks: Layout, gpus: int) -> str | None:
    """The largest tp-size that works, where nothing but it multiplies the ranks.

    A list of GPUs is the service's own, so what shifts its ranks goes; on `all` it keeps services apart and stays.
    """
    if ranks.total != ranks.tp:
        return None
    moving = shifted(args) if view.service.gpus != "all" else ""
    for size in tensor_sizes(view, gpus):
        smaller = ranks._replace(tp=size, base=0, step=1) if moving else ranks._replace(tp=size)
        if smaller.last < gpus and _free(view, smaller):
            return f"write tp-size {size}" + (f" and remove {moving}" if moving else "")
    return None


def _free(view: MachineView, ranks: Layout) -> bool:
    """Whether no other service takes the GPUs of these ranks."""
    left, listed = room_of(view), view.service.gpus
    return left is None or {each if listed == "all" else listed[each] for each in ranks.devices()} <= set(left.gpus)


def _enough(view: MachineView, ranks: Layout) -> Sequence[int] | None:
    """GPUs for all ranks."""
    left = room_of(view)
    if left is not None:
        return left.enough()
    listed = view.service.gpus
    return (
        tuple(dict.fromkeys(listed))[: ranks.on_host] if listed != "all" and ranks.on_host <= len(set(listed)) else None
    )
