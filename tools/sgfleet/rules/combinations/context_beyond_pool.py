"""A KV pool that is given less than one context.

## What it does

Compares `max-total-tokens` with `context-length` where both are given.

## Why

`max-total-tokens` bounds the KV pool. A request as long as the context that is promised can then never be served: it is
refused, or cut, though the model and the flag say that it fits.

## Bad

```yaml
flags:
  context-length: 131072
  max-total-tokens: 65536
```

## Good

```yaml
flags:
  context-length: 65536
  max-total-tokens: 65536
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.combinations._rows import Row, judge
from sgfleet.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import Problem, ServiceView

RULE = Rule("CMB045", "context-beyond-pool", Severity.WARNING, "service")

_POOL, _CONTEXT = "max-total-tokens", "context-length"

ROWS = (
    Row(_POOL, lambda args: 0 < (args.integer(_POOL) or 0) < (args.integer(_CONTEXT) or 0),
        "max-total-tokens is less than one context", lambda args: f"write at least {args.integer(_CONTEXT)}",
        others=(_CONTEXT,), sums=lambda args: f"{_POOL} {args.integer(_POOL)} < {_CONTEXT} {args.integer(_CONTEXT)}"),
)  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """A pool of less than a context."""
    return judge(view, ROWS)
