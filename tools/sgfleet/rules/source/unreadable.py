"""A file that cannot be read.

## What it does

Says why: no permission, or an error of the disk.

## Why

What cannot be read cannot be checked, and that must not look like success.

## Bad

hosts/kimi-01/host.yaml may be read by root only.

## Good

Whoever runs the check may read it.
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC015", name="unreadable", severity=Severity.ERROR, stage="source")
