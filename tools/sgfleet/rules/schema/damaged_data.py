"""Generated data below schema/ that cannot be read.

## What it does
Points at a file of schema/models/ that is not what `sgfleet model add` writes, at `endpoints.json` or `index.json` of
schema/sglang/ where they are damaged, and at a folder of them that cannot be listed. So it does for a pipe, a folder or
a link that leads nowhere in the place of such a file. All files of the repository are looked at, used or not; where
single hosts are asked for, the facts of models for their form alone, and the two tables not at all.

## Why
Without the facts of a model nothing about the memory of its services is checked, and that they are silent then looks
like a model that nobody has added yet.

## Bad
A merge left its marks in the file.
```yaml
release: "0.5.9"
```
```json
# schema/models/example--Model-7B.json
<<<<<<< HEAD
```

## Good
```yaml
release: "0.5.9"
```

## See also
`sgfleet model add FOLDER` writes the file of a model anew from its checkpoint.
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule("SCH002", "damaged-data", Severity.ERROR, "schema", waivable=False)
