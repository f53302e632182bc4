"""A value of another type than the key takes.

## What it does
Compares the type of each value with the one that its key takes: text, a whole number, a number, a list or a mapping.
Nothing is converted: a number where text is expected is not taken for its digits.

## Why
A conversion is a guess. A bare `30` may be seconds or minutes; `true` in an environment may be meant as `True`, `true`
or `1`, and programs tell those apart.

## Bad
```yaml
unit:
  restart-sec: 30
```

## Good
```yaml
unit:
  restart-sec: 30s
```

## Bad
```yaml
environment:
  SGLANG_ENABLE_SPEC_V2: true
```

## Good
```yaml
environment:
  SGLANG_ENABLE_SPEC_V2: "true"
```

## See also
`SPC005` for a release without quotes.
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("SPC003", "wrong-type", Severity.ERROR, "spec", waivable=False)
