"""A character that nobody sees.

## What it does

Refuses control characters, and the line and paragraph separators of Unicode that some readers take for line breaks.
In double quotes such a character can be written as an escape.

## Why

A review cannot see it, a terminal may obey it, and line numbers no longer agree.

## Bad

```yaml
why: "a\u2028b"
```

## Good

```yaml
why: "a\\nb"
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC013", name="control-character", severity=Severity.ERROR, stage="source")
