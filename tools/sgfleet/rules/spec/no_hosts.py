"""A repository without hosts.

## What it does
Looks for folders below hosts/. When there is none, `check` exits with 3: nothing was checked.

## Why
A hook that runs in the wrong folder, or before a clone is complete, must not be green.

## Bad
hosts/ is missing, is empty, or holds files only.
```yaml
# hosts/kimi-01.yaml
host: kimi-01
services: {}
```

## Good
```yaml
# hosts/kimi-01/host.yaml
host: kimi-01
services: {}
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("SPC010", "no-hosts", Severity.ERROR, "spec", waivable=False)
