"""A list of what is allowed that allows everything.

## What it does

Looks for `allowed-users`, `allowed-python` and `allowed-models` that are there and empty.

## Why

An empty list reads like "nobody", and means "anybody": without an entry there is nothing to compare with.

## Bad

```yaml
policy:
  allowed-users: []
```

## Good

```yaml
policy:
  allowed-users: [sglang]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import FleetView

RULE = Rule("POL007", "empty-allowance", Severity.WARNING, "fleet")

_LISTS: Final = {
    "allowed_users": "any account",
    "allowed_python": "any interpreter",
    "allowed_models": "any model",
}


def check(view: FleetView) -> Iterator[Problem]:
    """Lists that are written down and empty."""
    for field, everything in _LISTS.items():
        if field in view.policy.model_fields_set and not getattr(view.policy, field):
            name = field.replace("_", "-")
            yield Problem(
                ("policy", name),
                f"{name} is empty: it allows {everything}",
                help=f"name what is allowed, or leave {name} out",
                based_on=(f"fleet.yaml policy.{name}",),
            )
