"""A key that stands twice in one mapping.

## What it does

Compares the keys of every mapping after they have been read: `"tp-size"` and `tp-size` are the same.

## Why

YAML readers keep the last one in silence. Two people who each add the flag in another place both believe theirs.

## Bad

```yaml
flags:
  tp-size: 4
  tp-size: 8
```

## Good

```yaml
flags:
  tp-size: 8
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC002", name="duplicate-key", severity=Severity.ERROR, stage="source")
