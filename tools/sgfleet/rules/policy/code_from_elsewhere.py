"""A variable that brings other code into the process than the policy allows.

## What it does

Where `policy: {allowed-python: }` restricts interpreters, looks at the variables that load code into them:
LD_PRELOAD, LD_AUDIT, PYTHONPATH, PYTHONHOME, PYTHONSTARTUP. Their paths must lie in an allowed folder, or in /usr and
/lib.

## Why

An allowed interpreter that loads a library or a module from elsewhere is an allowed interpreter in name only.

## Bad

```yaml
python: /opt/sglang-0.5.9/bin/python3
environment:
  PYTHONPATH: /home/me/patches
```
```yaml
policy:
  allowed-python: [/opt]
```

## Good

```yaml
python: /opt/sglang-0.5.9/bin/python3
environment:
  PYTHONPATH: /opt/patches
```
```yaml
policy:
  allowed-python: [/opt]
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.policy._paths import lies_in
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("POL005", "code-from-elsewhere", Severity.ERROR, "service")

_VARIABLES = ("LD_PRELOAD", "LD_AUDIT", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE")
_SYSTEM = ("/usr", "/lib", "/lib64")


def check(view: ServiceView) -> Iterator[Problem]:
    """Variables that lead out of the allowed folders."""
    allowed = view.policy.allowed_python
    if not allowed:
        return
    for name in _VARIABLES:
        value = view.service.environment.get(name)
        if value is None:
            continue
        for path in re.split(r"[:\s]+", str(value)):
            if path and not lies_in(path, (*allowed, *_SYSTEM)):
                yield Problem(
                    ("environment", name),
                    f"{name} loads code from {quoted(path)}, which the policy does not allow",
                    help=f"install it below {' or '.join(allowed)}",
                    based_on=("fleet.yaml policy.allowed-python",),
                )
