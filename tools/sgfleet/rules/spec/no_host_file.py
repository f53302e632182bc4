"""A host's folder without host.yaml.

## What it does
Looks for host.yaml in every folder below hosts/.

## Why
The folder says that there is such a host; without the file nothing is known of what it serves, and whatever runs there
would be taken for removed.

## Bad
```yaml
# hosts/kimi-01/facts.yaml
format: 1
host: kimi-01
```

## Good
A host that serves nothing says so.
```yaml
# hosts/kimi-01/host.yaml
host: kimi-01
services: {}
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("SPC011", "no-host-file", Severity.ERROR, "spec", waivable=False)
