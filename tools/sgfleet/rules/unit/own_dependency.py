"""A service that waits for itself.

## What it does

Looks for the service's own unit in its `after`, `wants` and `requires`.

## Why

systemd drops such a line with a message in the journal, and whatever unit was meant is not waited for.

## Bad

```yaml
unit:
  after: [example.service]
```

## Good

```yaml
unit:
  after: [nvidia-persistenced.service]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("UNT011", "own-dependency", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """The unit's own name."""
    own, unit = f"{view.name}.service", view.service.unit
    for key, names in (("after", unit.after), ("wants", unit.wants), ("requires", unit.requires)):
        if own in names:
            yield Problem(
                ("unit", key, names.index(own)),
                f"{own} cannot come {'after' if key == 'after' else 'with'} itself",
                help="remove it, or name the unit that was meant",
                based_on=("systemd.unit(5), Before= and After=",),
            )
