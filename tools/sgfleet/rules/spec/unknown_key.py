"""A key that no part of the specification has.

## What it does
Compares every key of host.yaml, fleet.yaml and facts.yaml with those that the tool knows at that place. Flags below
`flags:` are not among them: the release's own schema decides about those.

## Why
A key that nobody reads changes nothing, and nobody sees that. `restart_sec: 5s` would leave the pause at 30 seconds.

## Bad
```yaml
unit:
  RestartSec: 5s
```

## Good
```yaml
unit:
  restart-sec: 5s
```

## Bad
A flag of SGLang at the wrong level.
```yaml
tp-size: 8
```

## Good
```yaml
flags:
  tp-size: 8
```

## See also
`FLG001` for a flag that the release does not have.
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("SPC001", "unknown-key", Severity.ERROR, "spec", waivable=False)
