"""A file that names another host than its folder does.

## What it does
Compares `host:` of host.yaml and facts.yaml with the name of the folder.

## Why
The file was copied, or the folder renamed. Facts of another machine make every verdict about memory and GPUs wrong,
and look right.

## Bad
In the folder hosts/example-01/.
```yaml
# facts.yaml
format: 1
host: example-02
gpus: []
```

## Good
```yaml
# facts.yaml
format: 1
host: example-01
gpus: []
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("SPC013", "other-host", Severity.ERROR, "spec", waivable=False)
