"""An anchor, an alias or a merge key.

## What it does

Refuses `&name`, `*name` and `<<`. Values that many services share go into `defaults` of the host or of fleet.yaml.

## Why

What a service runs must stand where a reviewer looks. And a few hundred bytes of aliases can unfold to gigabytes.

## Bad

```yaml
first: &flags
  tp-size: 8
second: *flags
```

## Good

```yaml
defaults:
  flags:
    tp-size: 8
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC003", name="anchor", severity=Severity.ERROR, stage="source")
