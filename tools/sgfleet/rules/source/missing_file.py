"""A file that is not there.

## What it does

Says so of a file that was listed or named, and is gone when it is read.

## Why

What cannot be read cannot be checked, and that must not look like success.

## Bad

hosts/kimi-01/host.yaml is removed while the check runs.

## Good

The files stay as they are until the check has ended.
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC022", name="missing-file", severity=Severity.ERROR, stage="source")
