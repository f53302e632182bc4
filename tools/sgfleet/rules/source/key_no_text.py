"""A key that is not text.

## What it does

Refuses keys that YAML reads as numbers, truth values or null, and mappings or sequences as keys.

## Why

The key would be something else than what is written: `0.10` would become 0.1.

## Bad

```yaml
environment:
  1: one
```

## Good

```yaml
environment:
  "1": one
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC011", name="key-no-text", severity=Severity.ERROR, stage="source")
