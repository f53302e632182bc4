"""A waiver for a rule that does not exist or cannot be waived.

## What it does
Looks up the code of every waiver that matched nothing. Findings about files that cannot be read, keys that mean nothing
and units that cannot be rendered are not waivable, nor are findings about waivers.

## Why
A waiver with a mistyped code looks like a decision and decides nothing. And whoever accepts that a file cannot be read
accepts that nothing in it was checked.

## Bad
```yaml
waive:
  - code: FLG999
    reason: Meant for another rule, and mistyped.
```

## Good
```yaml
flags:
  no-such-flag: 1
waive:
  - code: FLG001
    reason: A fork of ours knows this flag.
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("WVR003", "unwaivable", Severity.ERROR, "waivers", waivable=False)
