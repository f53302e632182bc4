"""A start timeout that bounds nothing.

## What it does

Finds `timeout-start-sec` in a unit of the type `exec` or `simple`, the two that this repository renders.

## Why

With these types systemd takes the service for started as soon as the process has been executed. TimeoutStartSec=900
reads as if fifteen minutes were allowed for the load; it bounds the few milliseconds before. What bounds the load is
`start: {budget: }`, which the agent watches.

## Bad

```yaml
unit:
  timeout-start-sec: 15m
```

## Good

```yaml
start:
  budget: 15m
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("UNT002", "start-timeout-without-effect", Severity.WARNING, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """A timeout on the start."""
    from sgfleet.spec.quantities import format_duration

    unit, budget = view.service.unit, view.service.start.budget
    if unit.timeout_start_sec is None:
        return
    text = format_duration(unit.timeout_start_sec)
    yield Problem(
        ("unit", "timeout-start-sec"),
        f"timeout-start-sec {text} does not bound the load: a unit of type {unit.type} has started at exec",
        "key",
        help="remove it"
        if budget is not None or not unit.timeout_start_sec
        else f"write `start: {{budget: {text}}}` instead",
        based_on=("systemd.service(5), Type= and TimeoutStartSec=",),
    )
