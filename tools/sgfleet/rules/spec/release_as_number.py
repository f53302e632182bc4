"""A release, or another version, that YAML reads as a number.

## What it does
Looks for numbers where a version is expected: `release` of a service, `release` and `compute-capability` in facts.

## Why
`0.10` and `0.1` are the same number, and `5.10` is 5.1. A version that has been a number once cannot be told apart
from another, so it is never taken: versions stand in quotes.

## Bad
```yaml
release: 5.10
```

## Good
```yaml
release: "0.5.10"
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("SPC005", "release-as-number", Severity.ERROR, "spec", waivable=False)
