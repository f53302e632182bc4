"""An interpreter outside the folders that the fleet's policy allows.

## What it does

Compares `python` with `policy: {allowed-python: }`, component by component. A path with `..` lies nowhere. An empty
list allows any.

## Why

The interpreter is the program that runs, often as root. Kept to a few folders that only administrators write, a spec
cannot start anything else.

## Bad

```yaml
python: /home/me/venv/bin/python3
```
```yaml
policy:
  allowed-python: [/opt]
```

## Good

```yaml
python: /opt/sglang-0.5.9/bin/python3
```
```yaml
policy:
  allowed-python: [/opt]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.policy._paths import lies_in
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("POL003", "allowed-python", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Another folder."""
    allowed, path = view.policy.allowed_python, view.service.python
    if allowed and not lies_in(path, allowed):
        dots = ".." in path.split("/")
        yield Problem(
            ("python",),
            f"{path} has .. in it: where it leads is not decided" if dots else f"the policy does not allow {path}",
            help=f"write a path below {' or '.join(allowed)}",
            based_on=("fleet.yaml policy.allowed-python",),
        )
