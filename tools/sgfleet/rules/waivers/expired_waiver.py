"""A waiver whose last day is over.

## What it does
Compares `until` of every waiver with today's date (UTC). The day itself still counts. An expired waiver accepts
nothing: the finding that it was written for is back with its own severity.

## Why
`until` is a promise to look again. When the day has come, somebody decides anew: put the cause right, or give a new day
and a reason that still holds.

## Bad
```yaml
flags:
  no-such-flag: 1
waive:
  - code: FLG001
    reason: A fork of ours knows this flag until it is merged.
    until: "2020-12-31"
```

## Good
```yaml
flags:
  no-such-flag: 1
waive:
  - code: FLG001
    reason: A fork of ours knows this flag until it is merged.
    until: "9999-12-31"
```

## See also
`WVR001` for a waiver that matches nothing.
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("WVR002", "expired-waiver", Severity.WARNING, "waivers", waivable=False)
