"""A number that no value can hold faithfully.

## What it does

Refuses numbers that a double would turn into infinity or into zero, and numbers of more than 300 characters.

## Why

A value must not change in silence between what was reviewed and what runs.

## Bad

```yaml
size: 1e999
```

## Good

```yaml
size: 1e9
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC014", name="number-range", severity=Severity.ERROR, stage="source")
