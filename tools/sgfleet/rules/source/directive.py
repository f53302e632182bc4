"""A YAML directive.

## What it does

Refuses lines such as `%YAML 1.1` before the document.

## Why

A directive changes how the rest is read, and this project reads one YAML only: the core of 1.2.

## Bad

```yaml
%YAML 1.1
---
host: kimi-01
```

## Good

```yaml
host: kimi-01
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC017", name="directive", severity=Severity.ERROR, stage="source")
