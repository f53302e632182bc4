"""A byte order mark at the beginning of a file.

## What it does

Refuses U+FEFF as the first character.

## Why

Editors of another system leave it. Some tools take it for a part of the first key.

## Bad

A file that was saved as "UTF-8 with BOM".

## Good

The same file, saved as UTF-8.
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC007", name="byte-order-mark", severity=Severity.ERROR, stage="source")
