"""A file that is nested deeper than any host needs.

## What it does

Counts how deep mappings and sequences are nested: 64 levels are the limit, and a host needs 5.

## Why

Such a file is made by a broken program or by somebody who means harm, and readers that recurse end in a crash.

## Bad

```yaml
a:
  [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
  ]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
```

## Good

```yaml
a: [[1]]
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC009", name="too-deep", severity=Severity.ERROR, stage="source")
