"""A restart loop that no limit ends.

## What it does

Works out whether the start limit can be reached: systemd gives up at the start that comes after `start-limit-burst`
others within `start-limit-interval-sec`. Each of them takes at least `restart-sec`, and as much as the start budget
when the load fails at its end. A limit of 0 is no limit.

## Why

A service that cannot start (too little memory, a wrong flag) otherwise loads its weights and dies for ever: it holds
the GPUs, wears the disks, and never reads as failed, so that nobody is told.

## Bad

Three failures take more than the minute that is looked at.

```yaml
unit:
  restart: always
  restart-sec: 30s
  start-limit-interval-sec: 60s
  start-limit-burst: 3
```

## Good

```yaml
unit:
  restart: always
  restart-sec: 30s
  start-limit-interval-sec: 1h
  start-limit-burst: 3
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("UNT003", "endless-restarts", Severity.WARNING, "service")

_INTERVAL, _BURST = "start-limit-interval-sec", "start-limit-burst"


def check(view: ServiceView) -> Iterator[Problem]:
    """A limit that is not there, or not reached."""
    unit = view.service.unit
    if unit.restart == "no":
        return
    basis = ("systemd.unit(5), StartLimitIntervalSec=",)
    interval, burst = unit.start_limit_interval_sec, unit.start_limit_burst
    if interval == 0 or burst == 0:
        off = _INTERVAL if interval == 0 else _BURST
        yield Problem(
            ("unit", off),
            f"restart {unit.restart} without a limit: {off} 0 turns the start limit off",
            help=f"write `{_BURST}: {burst or 3}` and `{_INTERVAL}: 1h`",
            based_on=basis,
        )
        return
    budget = view.service.start.budget or 0
    pause, worst = unit.restart_sec, unit.restart_sec + budget
    if burst * worst < interval:
        return
    yield _unreached(unit.restart, interval, burst, pause, budget, basis)


def _unreached(restart: str, interval: int, burst: int, pause: int, budget: int, basis: tuple[str, ...]) -> Problem:
    from sgfleet.spec.quantities import format_duration as text

    never = burst * pause >= interval
    each = text(pause) if never else f"({text(pause)} pause + {text(budget)} load)"
    total = burst * (pause if never else pause + budget)
    needed = -(-(burst * (pause + budget) + 1) // 3600) * 3600
    when = "" if never else " when loads fail late"
    return Problem(
        ("unit", _INTERVAL),
        f"restart {restart} without an end: the start limit is never reached{when}",
        arithmetic=(
            f"{burst} failed starts take {burst} × {each} = {text(total)}, not less than {_INTERVAL} {text(interval)}",
        ),
        help=f"write `{_INTERVAL}: {text(needed)}`",
        based_on=basis,
        related=((("unit", "restart-sec"), "the pause"), (("start", "budget"), "the load"))[: 1 if never else 2],
    )
