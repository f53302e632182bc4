"""An account that the fleet's policy does not allow.

## What it does

Compares `user` with `policy: {allowed-users: }`. An empty list allows any account.

## Why

Whoever may write a spec may otherwise run the engine, and what a model's own code makes of it, as any account of the
host.

## Bad

```yaml
user: admin
```
```yaml
policy:
  allowed-users: [sglang]
```

## Good

```yaml
user: sglang
```
```yaml
policy:
  allowed-users: [sglang]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("POL002", "allowed-user", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Another account."""
    allowed, user = view.policy.allowed_users, view.service.user
    if allowed and user not in allowed:
        default = "" if "user" in view.service.model_fields_set else ", which is what a service without `user:` gets"
        yield Problem(
            ("user",),
            f"the policy does not allow the account {user}{default}",
            help=f"write `user: {allowed[0]}`" if len(allowed) == 1 else f"write one of {', '.join(allowed)}",
            based_on=("fleet.yaml policy.allowed-users",),
        )
