"""A number that no value can hold faithfully.

## What it does

Refuses numbers that a double would turn into infinity, and integers of more than 400 digits.

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
