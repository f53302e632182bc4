"""A file below hosts/ that nothing reads.

## What it does
Looks for entries of hosts/ and of each host's folder that are neither host.yaml nor facts.yaml. Notes (`*.md`) and
hidden files are left alone; a hidden folder is a note.

## Why
host.yml, facts.yaml.bak or a host's file at the wrong level look like part of the repository, and changing them does
nothing.

## Bad
```yaml
# hosts/kimi-01/host.yaml
host: kimi-01
services: {}
```
```yaml
# hosts/kimi-01/facts.yml
format: 1
host: kimi-01
```

## Good
```yaml
# hosts/kimi-01/host.yaml
host: kimi-01
services: {}
```
```yaml
# hosts/kimi-01/facts.yaml
format: 1
host: kimi-01
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("SPC014", "stray-file", Severity.WARNING, "spec", waivable=False)
