"""A character that nobody sees.

## What it does

Refuses control characters, the line and paragraph separators of Unicode, signs that change the direction of writing,
and characters without any width. In double quotes such a character can be written as an escape. The joiners that belong
to words and emoji are allowed.

## Why

A review cannot see it, a terminal may obey it, a line can be shown in another order than it is read in, and two names
that look the same are not.

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
