"""A file that is not UTF-8.

## What it does

Points at the first byte that is not UTF-8, and says so where the file is UTF-16.

## Why

Every guess at another encoding is right on one machine and wrong on the next.

## Bad

A file that was saved as Latin-1 or UTF-16.

## Good

The same file, saved as UTF-8.
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC008", name="not-utf-8", severity=Severity.ERROR, stage="source")
