"""A YAML tag.

## What it does

Refuses `!!str`, `!custom` and the like. Quotes make text, digits make numbers.

## Why

Tags change what a value is, and differ from reader to reader.

## Bad

```yaml
release: !!str 0.5
```

## Good

```yaml
release: "0.5.9"
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC004", name="tag", severity=Severity.ERROR, stage="source")
