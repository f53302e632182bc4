"""A unit under units/ that somebody edited by hand.

## What it does

Every rendered unit carries a hash of its own lines. Where the hash does not fit the lines, the file was
edited after it was rendered.

## Why

The next `sgfleet render` removes the edit, and the agent refuses the unit before that.

## Bad

`RestartSec=1` was written into units/kimi-01/sglang-kimi.service.

```yaml
unit:
  restart-sec: 30s
```

## Good

`unit: {restart-sec: 1s}` was written into hosts/kimi-01/host.yaml, and `sgfleet render` was run.

```yaml
unit:
  restart-sec: 1s
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="RND003", name="edited-unit", severity=Severity.ERROR, stage="render")
