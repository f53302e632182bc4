"""A file that is larger than any host needs.

## What it does

Looks at the size before anything is read: 1 MiB is the limit. Inside of it, 100,000 keys and values are.

## Why

A host has a few KiB. A file of 100 MB is a mistake, and reading it would stop every commit for minutes.

## Bad

A log was copied over hosts/kimi-01/host.yaml.

## Good

The file holds the host and nothing else.
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC010", name="too-large", severity=Severity.ERROR, stage="source")
