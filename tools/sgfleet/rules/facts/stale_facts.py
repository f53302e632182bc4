"""Facts that are older than the policy allows.

## What it does

Compares the moment at which each part of facts.yaml was read with `policy: {facts-max-age: }` of fleet.yaml and
today's date. A part without a moment is as old as anybody's guess: a note says so.

## Why

A card that was taken out, a driver that was updated, memory that was added: the check decides from what it is told.

## Bad

```yaml
host: example-01
services:
  chat:
    flags: {tp-size: 2}
```
```yaml
policy:
  facts-max-age: 30d
```
```yaml
# facts.yaml
read:
  gpus: {when: "2024-01-31T12:00:00Z", how: nvidia-smi}
gpus: []
memory: {}
```

## Good

```yaml
host: example-01
services:
  chat:
    flags: {tp-size: 2}
```
```yaml
policy:
  facts-max-age: 30d
```
```yaml
# facts.yaml
read:
  gpus: {when: "9999-01-31T12:00:00Z", how: nvidia-smi}
gpus: []
memory: {}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import HostView

RULE = Rule("FCT003", "stale-facts", Severity.WARNING, "host")

_DAY_SECONDS = 86_400
_LASTING = frozenset({"observed"})
"""Parts that were true when they were read, whatever the age: what a start-up log said."""


def check(view: HostView) -> Iterator[Problem]:
    """Readings from before the limit."""
    limit_seconds = view.policy.facts_max_age
    if view.facts is None or limit_seconds is None or view.today is None:
        return
    limit_days = limit_seconds / _DAY_SECONDS
    basis = (
        f"hosts/{view.host}/facts.yaml read",
        "fleet.yaml policy.facts-max-age",
        f"today's date, {view.today} (UTC)",
    )
    undated = []
    for part, reading in view.facts.read.items():
        if part in _LASTING:
            continue
        if reading.when is None:
            undated.append(part)
            continue
        age_days = (view.today - reading.when.date()).days
        if age_days > limit_days:
            yield Problem(
                ("host",),
                f"the {part} of {view.host} were read {age_days} days ago",
                arithmetic=(
                    f"read {reading.when.date()}, today {view.today}: {age_days} days, at most {limit_days:g} allowed",
                ),
                help="run `sgfleet facts` on the host and commit what it writes",
                based_on=basis,
            )
    if undated:
        yield Problem(
            ("host",),
            f"nobody wrote down when the {', '.join(undated)} of {view.host} were read: their age is not checked",
            help="run `sgfleet facts` on the host and commit what it writes",
            based_on=basis,
            severity=Severity.NOTE,
        )
