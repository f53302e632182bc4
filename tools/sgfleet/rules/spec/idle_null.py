"""A null that takes nothing away.

## What it does
null under a key of a service, or of defaults, removes what farther layers say about it (a service's null: its host's
defaults and the fleet's). Compares each null with what the farther layers hold. A flag counts by any of its names.

## Why
A mistyped name removes nothing, and the inherited value stays in force. Nor does null switch a default of the tool
off: `after: null` leaves the default, `after: []` gives an empty list.

## Bad
```yaml
# host.yaml
defaults:
  release: "0.5.9"
  python: /opt/sglang-0.5.9/bin/python3
  flags:
    model-path: /models/example
    enable-metrics: true
services:
  example:
    flags:
      enable-metric: null
```

## Good
```yaml
# host.yaml
defaults:
  release: "0.5.9"
  python: /opt/sglang-0.5.9/bin/python3
  flags:
    model-path: /models/example
    enable-metrics: true
services:
  example:
    flags:
      enable-metrics: null
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("SPC007", "idle-null", Severity.WARNING, "spec", waivable=False)
