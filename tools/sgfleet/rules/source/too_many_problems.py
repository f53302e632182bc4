"""A file with so many problems that not all are shown.

## What it does

Shows the first 100 problems of a file and then this one.

## Why

Such a file is broken as a whole, and a list that ends in silence would look complete.

## Bad

A program wrote every key of hosts/kimi-01/host.yaml twice.

## Good

Every key stands once.
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC024", name="too-many-problems", severity=Severity.ERROR, stage="source")
