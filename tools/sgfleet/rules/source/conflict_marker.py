"""A marker of a merge conflict.

## What it does

Finds the lines that Git writes where two changes meet, in a file that is no YAML because of them.

## Why

The file holds two versions of the same lines, and somebody has to decide.

## Bad

```yaml
host: kimi-01
<<<<<<< HEAD
services: {}
=======
services:
>>>>>>> other
```

## Good

```yaml
host: kimi-01
services: {}
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC021", name="conflict-marker", severity=Severity.ERROR, stage="source")
