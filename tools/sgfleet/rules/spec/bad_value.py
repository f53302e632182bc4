"""A value that its key does not take.

## What it does
Holds text against the form that it must have (paths, names, durations, sizes, dates, releases), a choice against the
list of choices, and a number against its bounds. In facts.yaml no part of the RAM is larger than all of it.

## Why
systemd ignores a line that it cannot read and starts the service without it; a relative path means something else in
every folder. Here such a value stops before it reaches a host.

## Bad
```yaml
unit:
  restart: on-failures
```

## Good
```yaml
unit:
  restart: on-failure
```

## Bad
```yaml
working-directory: srv/models
```

## Good
```yaml
working-directory: /srv/models
```

## Bad
```yaml
# facts.yaml
memory: {total-bytes: 540000000000, available-bytes: 5280000000000}
```

## Good
```yaml
# facts.yaml
memory: {total-bytes: 540000000000, available-bytes: 528000000000}
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("SPC004", "bad-value", Severity.ERROR, "spec", waivable=False)
