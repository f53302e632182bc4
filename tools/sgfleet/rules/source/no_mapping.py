"""A file that is empty or holds no keys and values.

## What it does

Every file of this repository is a mapping at its top.

## Why

An empty file is most often the remains of a failed write. It must not read as a host without services.

## Bad

```yaml
- host: kimi-01
```

## Good

```yaml
host: kimi-01
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC012", name="no-mapping", severity=Severity.ERROR, stage="source")
