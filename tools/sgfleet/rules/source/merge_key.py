"""A merge key.

## What it does

Refuses `<<` as a key. What services share goes into `defaults` of the host or of fleet.yaml.

## Why

YAML 1.2 has no merge keys: some readers merge, others see a key that is called `<<`.

## Bad

```yaml
services:
  sglang-a:
    <<: {user: sglang}
```

## Good

```yaml
services:
  sglang-a:
    user: sglang
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC019", name="merge-key", severity=Severity.ERROR, stage="source")
