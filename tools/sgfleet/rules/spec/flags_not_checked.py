"""Flags that were not held against a release.

## What it does
The flags of a service whose other keys are wrong are checked all the same, for their names, choices and types. Where
the release itself cannot be read, or a misspelt key may be meant for `release` or `flags`, a note says that they were
not.

## Why
Somebody puts one key right and believes that it was the only mistake.

## Bad
```yaml
# host.yaml
services:
  example:
    relase: "0.5.9"
    flags:
      model-path: /models/example
```

## Good
```yaml
# host.yaml
services:
  example:
    release: "0.5.9"
    flags:
      model-path: /models/example
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("SPC008", "flags-not-checked", Severity.NOTE, "spec", waivable=False)
