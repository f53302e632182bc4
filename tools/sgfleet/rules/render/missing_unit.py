"""A service that has no rendered unit under units/.

## What it does

Looks for `units/<host>/<service>.service` for each service of each host.

## Why

The agent installs what is committed. A service whose unit is not in the commit is not on the host, though its
spec is on main.

## Bad

The host.yaml of kimi-01 names `sglang-kimi`, and units/kimi-01/ is empty.

```yaml
host: kimi-01
services:
  sglang-kimi:
    release: "0.5.9"
    python: /opt/sglang/bin/python3
    flags: {model-path: /srv/models/m}
```

## Good

`sgfleet render` was run, and `units/kimi-01/sglang-kimi.service` is in the commit.

```yaml
host: kimi-01
services:
  sglang-kimi:
    release: "0.5.9"
    python: /opt/sglang/bin/python3
    flags: {model-path: /srv/models/m}
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="RND001", name="missing-unit", severity=Severity.ERROR, stage="render")
