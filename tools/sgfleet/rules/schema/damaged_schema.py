"""A flag schema that cannot be read.

## What it does
Points into schema/sglang/<release>.json where it is not the JSON, or not of the form, that `sgfleet schema add` writes.
The schema that sgfleet was installed with does not take its place.

## Why
Everything about flags is decided by this file. Without it no flag of the services of that release was checked.

## Bad
A merge left its marks in the file.
```yaml
release: "0.5.9"
```
```json
# schema/sglang/0.5.9.json
<<<<<<< HEAD
```

## Good
```yaml
release: "0.5.9"
```

## See also
`sgfleet schema add RELEASE` writes the file anew from the release's own wheel.
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("SCH001", "damaged-schema", Severity.ERROR, "schema", waivable=False)
