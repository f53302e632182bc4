"""A static memory fraction that leaves no room for the hierarchical cache's own buffers.

## What it does

Finds `mem-fraction-static` of 0.94 and more together with `enable-hierarchical-cache`.

## Why

The hierarchical cache needs buffers on the GPU beside the KV pool. Servers that run at such a fraction have been seen
to run out of GPU memory, at the start or under load, as soon as it is turned on.

## Bad

```yaml
flags:
  enable-hierarchical-cache: true
  mem-fraction-static: 0.95
```

## Good

```yaml
flags:
  enable-hierarchical-cache: true
  mem-fraction-static: 0.90
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("CMB005", "hicache-high-fraction", Severity.WARNING, "service")

_HIGH = 0.94


def check(view: ServiceView) -> Iterator[Problem]:
    """A high fraction with the hierarchical cache."""
    args = arguments(view)
    if args is None or not args.on("enable-hierarchical-cache"):
        return
    given, fraction = args.said("mem-fraction-static"), args.number("mem-fraction-static")
    if given is not None and fraction is not None and _HIGH <= fraction < 1:
        yield Problem(
            given.route,
            f"mem-fraction-static {fraction:g} leaves {1 - fraction:.0%} of the GPU for everything else, and the"
            " hierarchical cache needs buffers there too",
            help="write 0.90, or remove it: the release then reserves by itself; larger pages need fewer buffers",
            based_on=("reports of servers that ran out of GPU memory from 0.94 on",),
            related=((args.route("enable-hierarchical-cache"), "the hierarchical cache"),),
        )
