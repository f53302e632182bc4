"""Services of a host that wait for each other.

## What it does

Follows `after` among the services of a host and looks for a way back.

## Why

systemd finds the cycle at boot, and breaks it by dropping the start of one of the units: which one is not said
before.

## Bad

```yaml
services:
  chat:
    gpus: [0]
    flags: {port: 30000}
    unit: {after: [draft.service]}
  draft:
    gpus: [1]
    flags: {port: 30100}
    unit: {after: [chat.service]}
```

## Good

```yaml
services:
  chat:
    gpus: [0]
    flags: {port: 30000}
    unit: {after: [draft.service]}
  draft:
    gpus: [1]
    flags: {port: 30100}
```
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sgfleet.rules.rule import HostView

RULE = Rule("HST003", "ordering-cycle", Severity.ERROR, "host")


def check(view: HostView) -> Iterator[Problem]:
    """Each cycle once."""
    if len(view.services) < 2:
        return
    units = {f"{name}.service": name for name in view.services}
    waits = {
        name: [units[unit] for unit in service.service.unit.after if unit in units and units[unit] != name]
        for name, service in view.services.items()
    }
    seen = set[frozenset[str]]()
    for name in view.services:
        way = _way_back(name, waits)
        if way and frozenset(way) not in seen:
            seen.add(frozenset(way))
            yield Problem(
                ("services", name, "unit", "after"),
                _told((*way, name)),
                help=f"remove {way[1]}.service from the `after` of {name}, or the other way round",
                based_on=("systemd.unit(5), Before= and After=",),
                related=tuple((("services", each, "unit", "after"), each) for each in way[1:]),
            )


def _told(way: tuple[str, ...]) -> str:
    """a, b, c, a -> "a waits for b, b for c, and c for a"."""
    steps = [f"{one} for {other}" for one, other in pairwise(way)]
    steps[0] = f"{way[0]} waits for {way[1]}"
    return f"{', '.join(steps[:-1])}, and {steps[-1]}"


def _way_back(start: str, waits: Mapping[str, list[str]]) -> list[str] | None:
    """The shortest way from a service to itself."""
    ways = [[start]]
    reached = set[str]()
    while ways:
        way = ways.pop(0)
        for following in waits[way[-1]]:
            if following == start:
                return way
            if following not in reached:
                reached.add(following)
                ways.append([*way, following])
    return None
