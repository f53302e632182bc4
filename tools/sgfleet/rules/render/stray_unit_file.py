"""A file under units/ that is no rendered unit.

## What it does

Looks through units/ for anything but `<host>/<service>.service`: other files, folders without a host,
symbolic links.

## Why

units/ holds what the agent may install. Whatever else lies there was not rendered from a spec, and nobody can
say what it is for.

## Bad

Units/kimi-01/notes.txt, or a symbolic link in place of a unit.

```yaml
host: kimi-01
services:
  sglang-kimi:
    release: "0.5.9"
    python: /opt/sglang/bin/python3
    flags: {model-path: /srv/models/m}
```

## Good

Only rendered units lie under units/.

```yaml
host: kimi-01
services:
  sglang-kimi:
    release: "0.5.9"
    python: /opt/sglang/bin/python3
    flags: {model-path: /srv/models/m}
```
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="RND006", name="stray-unit-file", severity=Severity.ERROR, stage="render")
