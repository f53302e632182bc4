"""A host pool that is no larger than the GPU's KV pool.

## What it does

Holds `hicache-ratio` against 1 when nothing else decides the size (`hicache-size` would). Up to 0.5.14 SGLang refuses
a host pool that is not larger than the device pool: a ratio below 1, and before 0.5.5.post3, which rounds up by a
page, 1 as well. Later releases start, and the finding is a warning.

## Why

The check comes after the weights are loaded: minutes into every start. Where a small pool is accepted, everything
that fits in it is on the GPU anyway, and nothing is fetched ahead from a storage backend.

## Bad

```yaml
flags:
  enable-hierarchical-cache: true
  hicache-ratio: 0.5
```

## Good

```yaml
flags:
  enable-hierarchical-cache: true
  hicache-ratio: 1.5
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments, between
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("CMB002", "hicache-ratio-too-small", Severity.ERROR, "service")

_ROUNDED_UP = "0.5.5.post3"
"""From here on the host pool has at least a page more than the ratio asks for (srt/mem_cache/memory_pool_host.py)."""
_LAST_REFUSING = "0.5.14"


def check(view: ServiceView) -> Iterator[Problem]:
    """`hicache-ratio` up to 1."""
    args = arguments(view)
    if args is None or not args.on("enable-hierarchical-cache"):
        return
    given, ratio = args.said("hicache-ratio"), args.number("hicache-ratio")
    if given is None or ratio is None or not 0 < ratio <= 1 or (args.integer("hicache-size") or 0) > 0:
        return
    release = view.service.release
    if args.on("disable-radix-cache") or args.text("hicache-host-memory-mode") == "buffer_only":
        return
    refused = between(release, None, _LAST_REFUSING) and (ratio < 1 or not between(release, _ROUNDED_UP))
    if not refused and ratio == 1 and between(release, None, _LAST_REFUSING):
        return
    if refused:
        message = f"hicache-ratio {ratio:g} is refused: the host pool must be larger than the device pool"
        help_ = "write 1.1 or more; where RAM is short, a lower mem-fraction-static makes both pools smaller"
    else:
        message = f"hicache-ratio {ratio:g} makes a host pool that holds little more than what is on the GPU"
        help_ = "write 1.1 or more, or remove enable-hierarchical-cache"
    yield Problem(
        given.route,
        message,
        arithmetic=(f"host pool = {ratio:g} × device pool",),
        help=help_,
        based_on=(f"SGLang {release}, srt/mem_cache/memory_pool_host.py",),
        severity=None if refused else Severity.WARNING,
    )
