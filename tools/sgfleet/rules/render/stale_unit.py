"""A committed unit that is not what its spec renders to.

## What it does

Renders every service and compares the bytes. The finding lists the settings that differ: `-` is committed,
`+` is rendered.

## Why

The spec says what was decided and the unit is what runs. Where they differ, a review of one says nothing
about the other.

## Bad

`hicache-ratio: 3.0` in the spec, `--hicache-ratio 4.0` in the unit.

```yaml
flags:
  hicache-ratio: 3.0
```

## Good

`sgfleet render` after the edit, both files in one commit.

```yaml
flags:
  hicache-ratio: 3.0
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="RND002", name="stale-unit", severity=Severity.ERROR, stage="render")
