"""A second document in one file.

## What it does

Refuses a `---` that begins another document.

## Why

Most readers take the first document only: the second would be written for nobody.

## Bad

```yaml
host: kimi-01
---
host: kimi-02
```

## Good

```yaml
host: kimi-01
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC005", name="several-documents", severity=Severity.ERROR, stage="source")
