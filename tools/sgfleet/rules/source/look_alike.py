"""A character that looks like a part of YAML and is none.

## What it does

Finds curly quotes around a value, a long dash in place of a list's, and no-break spaces and other foreign blanks at
either end of a key or a value without quotes. Inside of a text, and in quotes, all of them may stand.

## Why

Chats, wikis and word processors put them in place of what was typed. YAML takes them for letters: a key is then
unknown, or a path does not exist, and both look right.

## Bad

```yaml
release: “0.5.9”
```

## Good

```yaml
release: "0.5.9"
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC020", name="look-alike", severity=Severity.ERROR, stage="source")
