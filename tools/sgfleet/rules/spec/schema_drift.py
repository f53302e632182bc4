"""A schema for editors that does not say what the tool checks.

## What it does
Compares schema/host.schema.json, schema/facts.schema.json and schema/fleet.schema.json with what `sgfleet export`
writes: the models of this version, and the releases that have a flag schema in schema/sglang/.

## Why
Editors complete and mark by these files. When one is out of date, an editor accepts what the check refuses, or marks
what is right.

## Bad
A schema that was written by hand.
```yaml
# schema/fleet.schema.json
{"type": "object"}
```

## Good
What `sgfleet export` writes, or no such file: it is then said where the other schemas are.
```yaml
# hosts/kimi-01/host.yaml
host: kimi-01
services: {}
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("SPC020", "schema-drift", Severity.ERROR, "spec", waivable=False)
