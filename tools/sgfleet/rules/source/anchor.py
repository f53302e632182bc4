"""An anchor.

## What it does

Refuses `&name` before a value. Values that many services share go into `defaults` of the host or of fleet.yaml.

## Why

An anchor is there for aliases, and those are refused: what a service runs must stand where a reviewer looks.

## Bad

```yaml
services:
  sglang-a:
    flags: &flags
      tp-size: 8
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
