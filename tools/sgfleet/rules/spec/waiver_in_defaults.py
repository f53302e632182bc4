"""A waiver in the defaults of a host or of the fleet.

## What it does
Looks for `waive` below `defaults:` in host.yaml and fleet.yaml.

## Why
A waiver is the decision of somebody who looked at a finding of one service. Inherited, it would also accept findings
that nobody has looked at, of services that are added later. What the whole fleet thinks of a rule is its policy.

## Bad
```yaml
# fleet.yaml
defaults:
  waive:
    - code: FLG001
      reason: A fork of ours knows one flag more.
```

## Good
```yaml
# fleet.yaml
policy:
  severity:
    FLG001: warning
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("SPC006", "waiver-in-defaults", Severity.ERROR, "spec", waivable=False)
