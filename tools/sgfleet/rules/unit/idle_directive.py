"""A setting of the unit that has no effect beside another one.

## What it does

Finds a pause or a limit for restarts that never happen, `memory-high` that `memory-max` comes before, and
network-online.target in `after` while nothing pulls it in.

## Why

Somebody has set it and counts on it. After= alone only orders: without Wants= or Requires= the target may not be part
of the boot at all, and the service starts before the network is there.

## Bad

```yaml
unit:
  restart: "no"
  restart-sec: 10s
```

## Good

```yaml
unit:
  restart: on-failure
  restart-sec: 10s
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule
from sgfleet.spec.quantities import format_size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("UNT010", "idle-directive", Severity.WARNING, "service")

_ONLINE = "network-online.target"
_MIB = 2**20


def check(view: ServiceView) -> Iterator[Problem]:
    """Settings that nothing comes of."""
    unit = view.service.unit
    if unit.restart == "no" and "restart_sec" in unit.model_fields_set:
        yield Problem(
            ("unit", "restart-sec"),
            "restart-sec has no effect with restart no",
            "key",
            help="remove it, or write `restart: on-failure`",
            based_on=("systemd.service(5), RestartSec=",),
            related=((("unit", "restart"), "no restarts"),),
            severity=Severity.NOTE,
        )
    if isinstance(unit.memory_high, int) and isinstance(unit.memory_max, int) and unit.memory_high >= unit.memory_max:
        most = unit.memory_max * 9 // 10 // _MIB * _MIB
        yield Problem(
            ("unit", "memory-high"),
            "memory-high has no effect: memory-max is reached first",
            help=f"write less than memory-max, such as {format_size(most)}" if most else "write less than memory-max",
            based_on=("systemd.resource-control(5), MemoryHigh=",),
            related=((("unit", "memory-max"), "the lower bound"),),
        )
    if _ONLINE in unit.after and _ONLINE not in (*unit.wants, *unit.requires):
        yield Problem(
            ("unit", "after"),
            f"after {_ONLINE} only orders: nothing pulls it in",
            help=f"add `wants: [{_ONLINE}]`",
            based_on=("systemd.special(7), network-online.target",),
        )
