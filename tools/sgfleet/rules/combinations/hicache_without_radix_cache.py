"""Hierarchical cache without the radix cache that it extends.

## What it does

Finds `enable-hierarchical-cache` with `disable-radix-cache`, and with `disaggregation-mode: decode`, which turns the
radix cache off unless `disaggregation-decode-enable-radix-cache` keeps it.

## Why

The host pool holds prefixes of the radix cache. From 0.5.1 SGLang refuses to start without one. Older releases start,
and have no hierarchical cache or fail at the first request.

## Bad

```yaml
flags:
  enable-hierarchical-cache: true
  disable-radix-cache: true
```

## Good

```yaml
flags:
  enable-hierarchical-cache: true
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.combinations._rows import Row, judge
from sgfleet.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import Problem, ServiceView

RULE = Rule("CMB001", "hicache-without-radix-cache", Severity.ERROR, "service")


def _decode(args: Arguments) -> bool:
    return args.text("disaggregation-mode") == "decode" and not args.on("disaggregation-decode-enable-radix-cache")


ROWS = (
    Row("enable-hierarchical-cache", lambda args: args.on("disable-radix-cache"),
        "enable-hierarchical-cache extends the radix cache, which disable-radix-cache turns off",
        "remove disable-radix-cache", others=("disable-radix-cache",), hook="kv_cache_hook"),
    Row("enable-hierarchical-cache", lambda args: _decode(args) and not args.on("disable-radix-cache"),
        "enable-hierarchical-cache extends the radix cache, which disaggregation-mode decode turns off",
        "remove enable-hierarchical-cache from decode servers", others=("disaggregation-mode",),
        hook="kv_cache_hook"),
)  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """The radix cache is off."""
    return judge(view, ROWS)
