"""A unit that cannot be written or removed.

## What it does

Says what the system answered when `sgfleet render` put a unit in place: no permission, no room, a read-only file
system. Units are replaced at once, so the one that was there is still whole.

## Why

A render that could not write must not look like one that had nothing to write.

## Bad

units/kimi-01/ belongs to another user.

```yaml
flags:
  hicache-ratio: 3.0
```

## Good

Whoever renders may write below units/.

```yaml
flags:
  hicache-ratio: 3.0
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="RND007", name="unwritable-unit", severity=Severity.ERROR, stage="render")
