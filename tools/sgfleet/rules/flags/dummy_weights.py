"""A server that loads no weights.

## What it does

Looks for `load-format: dummy`.

## Why

Dummy weights are random numbers, for measuring without a checkpoint. The server starts fast, answers `/health`, and
generates noise.

## Bad

```yaml
flags:
  load-format: dummy
```

## Good

```yaml
flags:
  load-format: safetensors
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

RULE = Rule("FLG017", "dummy-weights", Severity.WARNING, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """`load-format: dummy`."""
    args = arguments(view)
    given = args.said("load-format") if args is not None else None
    if given is not None and given.value == "dummy":
        yield Problem(
            given.route,
            "load-format dummy serves random weights",
            help="remove load-format: the default, auto, reads the checkpoint",
            based_on=(f"schema/sglang/{view.service.release}.json",),
        )
