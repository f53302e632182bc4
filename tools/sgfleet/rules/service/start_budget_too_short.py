"""A start budget that is over before the service serves.

## What it does

Holds `start: {budget: }` against what is known of the load: the `load-seconds` or `load-seconds-at-least` of
facts.yaml, where that start loaded the same weights. Without them it warns of a budget below the estimate from the
bytes of the weights, which may be wrong by a factor of three.

## Why

The agent takes the budget as the limit of a load, whatever it measured before. A load that needs longer is given up,
and the change is rolled back, each time: the outage, and nothing gained. Without the key the agent computes the budget
itself, and a load that moves may go on to three times that.

## Bad

```yaml
start:
  budget: 1m
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
observed:
  example: {release: "0.5.9", load-seconds-at-least: 600}
```

## Good

```yaml
start:
  budget: 20m
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
observed:
  example: {release: "0.5.9", load-seconds-at-least: 600}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.memory.load_time import LoadTime
    from sgfleet.rules.rule import MachineView

RULE = Rule("SRV014", "start-budget-too-short", Severity.ERROR, "machine")

GROWTH: Final = 2
"""How many times an observed load the agent itself allows the next one (`Patience.growth` in agent/budget.py)."""


def check(view: MachineView) -> Iterator[Problem]:
    """A limit that the known load passes."""
    budget = view.service.start.budget
    if budget is None or view.memory is None:
        return
    from sgfleet.memory.load_time import load_time
    from sgfleet.spec.quantities import format_duration

    load = load_time(view.name, view.memory().service(view.name), view.facts)
    if load is None or budget > load.seconds:
        return
    given = format_duration(int(budget))
    if load.origin == "estimated":
        known = f"the load is estimated at {load.seconds} s"
    else:
        known = f"the load takes {'at least ' if load.origin == 'at-least' else ''}{load.seconds} s"
    yield Problem(
        ("start", "budget"),
        f"start budget {given} is over before the service serves: {known}",
        arithmetic=(f"budget {given} = {budget} s; {load.seconds} s: {load.detail}",),
        help=f"write `budget: {enough(load)}`, or remove it: the agent then computes one, and waits for what moves",
        based_on=(f"hosts/{view.host}/facts.yaml", "the agent gives a load up when its declared budget is over"),
        severity=Severity.WARNING if load.origin == "estimated" else None,
    )


def enough(load: LoadTime) -> str:
    """A budget in whole minutes that the load keeps: with the room that the agent itself leaves, or the most that the
    estimate may be.
    """
    seconds = load.most_seconds if load.origin == "estimated" else None
    return f"{-(-(seconds or load.seconds * GROWTH) // 60)}m"
