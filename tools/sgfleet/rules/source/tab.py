"""A tab in the indentation.

## What it does

Points at a tab before the first character of a line, and where YAML wants blanks. Tabs inside of a text, and before a
comment that ends a line, are allowed.

## Why

YAML does not allow it, some readers let it pass, and what an editor shows does not tell.

## Bad

`flags:`, and in the next line a tab in front of `tp-size: 8`.

## Good

The same with two blanks in place of the tab.
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC006", name="tab", severity=Severity.ERROR, stage="source")
