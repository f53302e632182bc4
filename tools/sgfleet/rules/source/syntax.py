"""A file that is not YAML.

## What it does

Reads the file with libyaml and says where it stopped making sense, in words of an operator: a colon without a blank
after it, a quote that is not closed, keys of one mapping at different indentations.

## Why

Nothing of such a file can be trusted, so nothing of it is checked, rendered or applied.

## Bad

```yaml
host:kimi-01
services: {}
```

## Good

```yaml
host: kimi-01
services: {}
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC001", name="syntax", severity=Severity.ERROR, stage="source")
