"""A colon in the served model's name.

## What it does

Looks for `:` in `served-model-name`, from 0.5.5.post1.

## Why

A request for `model:adapter` names a LoRA adapter, so the model's own name may have no colon: the server exits when
it checks its arguments. Clients and gateways of other servers often have names such as `qwen3:32b`.

## Bad

```yaml
flags:
  served-model-name: qwen3:32b
```

## Good

```yaml
flags:
  served-model-name: qwen3-32b
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

RULE = Rule("CMB031", "model-name-colon", Severity.ERROR, "service")

_NAME = "served-model-name"

ROWS = (
    Row(_NAME, lambda args: ":" in (args.text(_NAME) or ""),
        lambda args: f"served-model-name {args.text(_NAME)!a} has a colon, which separates model and adapter",
        lambda args: f"write {(args.text(_NAME) or '').replace(':', '-')}", since="0.5.5.post1"),
)  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """A name with a colon."""
    return judge(view, ROWS)
