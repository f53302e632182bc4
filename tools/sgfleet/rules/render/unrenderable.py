r"""A service that no unit can carry.

## What it does

Says which value systemd or the kernel cannot take: a character, a size, or a word that argparse would read as
another flag.

## Why

systemd drops such a setting with a line in the journal, or refuses the unit: the service would run without
it, or not at all.

## Bad

An environment variable with a NUL character in it.

```yaml
environment:
  MESSAGE: "\0"
```

## Good

The variable without it.

```yaml
environment:
  MESSAGE: ""
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="RND005", name="unrenderable", severity=Severity.ERROR, stage="render")
