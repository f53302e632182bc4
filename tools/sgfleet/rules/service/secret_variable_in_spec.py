"""A secret whose variable the spec itself sets.

## What it does

Looks for the variables of `secrets:` under `environment:`.

## Why

The secret is then committed after all. And the value in the spec may not even be the one that counts: an environment
file goes before it.

## Bad

```yaml
secrets:
  api-key: CHAT_LOCK
environment:
  CHAT_LOCK: correct-horse-battery-staple
```

## Good

```yaml
secrets:
  api-key: CHAT_LOCK
environment-files: [/etc/sglang/secrets.env]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("SRV007", "secret-variable-in-spec", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Variables of secrets with a value in the repository."""
    for flag, variable in view.service.secrets.items():
        if variable in view.service.environment:
            yield Problem(
                ("environment", variable),
                f"{variable} holds {flag}, and stands here in clear",
                help=f"write `{variable}=...` into one of `environment-files` on the host, and replace the value:"
                " this one is known",
                based_on=("secrets",),
                related=((("secrets", flag), "the secret"),),
                secret=True,
            )
