"""A key that must be there and is not.

## What it does
Looks for the keys that have no default: `host` and `services` of a host, `release` and `python` of a service, `code`
and `reason` of a waiver, `format` and `host` of facts. What a service needs may also stand in the defaults of its
host or of fleet.yaml.

## Why
Without its release nothing about a service can be checked, and without its interpreter it cannot be rendered. Neither
has a value that could be assumed.

## Bad
```yaml
release: null
flags:
  tp-size: 1
```

## Good
```yaml
release: "0.5.9"
flags:
  tp-size: 1
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("SPC002", "missing-key", Severity.ERROR, "spec", waivable=False)
