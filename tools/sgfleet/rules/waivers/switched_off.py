"""A rule that the policy has switched off.

## What it does
Says of every `off` under `policy: {severity: }` that it is in force.

## Why
What a rule that is off would find is not said anywhere: a clean check is worth that much less, and whoever reads it
should know. What the renderer cannot survive is told all the same, as `RND005`.

## Bad
```yaml
policy:
  severity:
    SRV005: "off"
```

## Good
```yaml
policy:
  severity:
    SRV005: note
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("WVR005", "switched-off", Severity.NOTE, "waivers")
