"""A unit under units/ that no spec asks for.

## What it does

Looks through units/<host>/ for units whose service, or whose host, is not in hosts/.

## Why

A unit that stays behind reads as if the service still ran. The agent stops and removes what no spec asks for.

## Bad

Units/kimi-01/old.service is there, and hosts/kimi-01/host.yaml has no service `old`.

```yaml
host: kimi-01
services:
  sglang-kimi:
    release: "0.5.9"
    python: /opt/sglang/bin/python3
    flags: {model-path: /srv/models/m}
```

## Good

`sgfleet render` removed it, or the service is back in host.yaml.

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

RULE = Rule(code="RND004", name="unit-without-spec", severity=Severity.ERROR, stage="render")
