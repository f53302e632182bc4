"""An alias.

## What it does

Refuses `*name` as a value. A value that begins with a star, such as a pattern, stands in quotes.

## Why

What a service runs must stand where a reviewer looks, and a few hundred bytes of aliases can unfold to gigabytes.

## Bad

```yaml
defaults: &shared
  user: sglang
services:
  sglang-a: *shared
```

## Good

```yaml
defaults:
  user: sglang
services:
  sglang-a: {}
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC018", name="alias", severity=Severity.ERROR, stage="source")
