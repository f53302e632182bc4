"""A severity in the policy for a rule that does not exist or whose severity is fixed.

## What it does
Looks up every code under `policy: {severity: }`. Findings about files that cannot be read, keys that mean nothing and
units that cannot be rendered keep their severity when it is error.

## Why
A mistyped code changes nothing, and nobody sees that. An unreadable file that counts as a note would make a check green
that has checked nothing.

## Bad
```yaml
policy:
  severity:
    FLG999: note
```

## Good
```yaml
policy:
  severity:
    WVR001: note
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("WVR004", "fixed-severity", Severity.ERROR, "waivers", waivable=False)
