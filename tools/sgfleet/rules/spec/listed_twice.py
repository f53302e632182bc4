"""Something that facts.yaml lists twice.

## What it does
Looks for a GPU's index, a NUMA node, an interpreter or a checkpoint's folder that two entries of facts.yaml have.

## Why
Nobody can say which of the two holds. Counted twice, a GPU that is not there carries a rank on paper. None of the
facts is used until it is decided.

## Bad
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068}
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068}
```

## Good
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068}
  - {index: 1, name: NVIDIA L40S, memory-mib: 46068}
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("SPC016", "listed-twice", Severity.ERROR, "spec", waivable=False)
