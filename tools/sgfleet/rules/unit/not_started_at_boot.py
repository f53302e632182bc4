"""A service that no boot starts.

## What it does

Finds an empty `wanted-by`.

## Why

The unit then has no place in the boot: after a power failure the host is up and serves nothing until somebody comes.

## Bad

```yaml
unit:
  wanted-by: []
```

## Good

```yaml
unit:
  wanted-by: [multi-user.target]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("UNT015", "not-started-at-boot", Severity.WARNING, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Nothing wants the unit."""
    if not view.service.unit.wanted_by:
        yield Problem(
            ("unit", "wanted-by"),
            "nothing starts this service at boot: wanted-by is empty",
            help="write [multi-user.target]",
            based_on=("systemd.unit(5), WantedBy=",),
        )
