"""A folder below hosts/ whose name is no host name.

## What it does
Holds the name of each folder against the form of a host name: up to 63 lower-case letters, digits and dashes, with a
letter or digit at either end.

## Why
The name becomes a folder of units/, a line in the unit's header and a label of metrics, and the host asks for its own
units by it.

## Bad
```yaml
# hosts/kimi_01/host.yaml
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

RULE = Rule("SPC012", "host-folder-name", Severity.ERROR, "spec", waivable=False)
