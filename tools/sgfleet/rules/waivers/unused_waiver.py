"""A waiver that matches no finding.

## What it does
Compares the waivers of a service with the findings that were made for it, and those of a host with what was found
about it as a whole, such as its facts. Where something could not be checked (no facts, no schema for the release) a
waiver may only look unused: it is then a note.

## Why
A waiver outlives its cause: the flag was put right, the host got more memory. What is left accepts the next finding of
that rule, which nobody has looked at.

## Bad
The flag that the waiver was written for is gone.
```yaml
flags:
  tp-size: 1
waive:
  - code: FLG001
    reason: A fork of ours knows one flag more.
```

## Good
```yaml
flags:
  tp-size: 1
```

## See also
`WVR002` for a waiver whose last day is over, `WVR003` for one that can never match.
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("WVR001", "unused-waiver", Severity.WARNING, "waivers", waivable=False)
