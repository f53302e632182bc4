"""A host pool whose size is given twice.

## What it does

Finds `hicache-ratio` beside a `hicache-size` above 0.

## Why

The size wins, in every release, and the ratio means nothing. Whoever edits the ratio next changes nothing.

## Bad

```yaml
flags:
  enable-hierarchical-cache: true
  hicache-ratio: 4.0
  hicache-size: 40
```

## Good

```yaml
flags:
  enable-hierarchical-cache: true
  hicache-size: 40
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import ServiceView

RULE = Rule("CMB003", "hicache-size-over-ratio", Severity.WARNING, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Ratio and size together."""
    args = arguments(view)
    given = args.said("hicache-ratio") if args is not None else None
    if args is None or given is None:
        return
    size = args.integer("hicache-size")
    if size is not None and size > 0:
        yield Problem(
            given.route,
            f"hicache-ratio has no effect: hicache-size {size} decides the host pool",
            help=_help(args, size),
            based_on=(f"SGLang {view.service.release}, srt/mem_cache",),
            related=((args.route("hicache-size"), "the size"),),
        )


def _help(args: Arguments, size: int) -> str:
    """The size may go only where the ratio would do: up to 1 it makes no pool, or none of use."""
    ratio = args.number("hicache-ratio")
    other = (
        f"; or hicache-size, which is {size} GB (10**9 bytes) for every rank" if ratio is not None and ratio > 1 else ""
    )
    return f"remove hicache-ratio{other}"
