"""Two folders of hosts that differ only by case.

## What it does
Compares the names of the folders below hosts/ without regard to case.

## Why
File systems that ignore case, as on many laptops, hold only one of the two: a clone there has lost a host.

## Bad
```yaml
# hosts/kimi-01/host.yaml
host: kimi-01
services: {}
```
```yaml
# hosts/Kimi-01/host.yaml
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

RULE = Rule("SPC015", "same-but-case", Severity.ERROR, "spec", waivable=False)
