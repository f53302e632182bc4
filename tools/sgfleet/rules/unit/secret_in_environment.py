"""A secret in clear under `environment:`.

## What it does

Looks for variables that hold a secret by their name: HF_TOKEN, OPENAI_API_KEY, AWS_SECRET_ACCESS_KEY, and whatever
ends in _TOKEN, _API_KEY, _PASSWORD and the like. The value itself is not shown.

## Why

`environment:` is rendered into the unit, and both are committed. An environment file lies on the host alone, readable
to root, and systemd hands its variables to the same process.

## Bad

```yaml
environment:
  HF_TOKEN: correct-horse-battery-staple
```

## Good

```yaml
environment-files: [/etc/sglang/secrets.env]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule
from sgfleet.spec.secret_names import holds_secret, names_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("UNT009", "secret-in-environment", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Variables whose name says that they are secret."""
    for name, value in view.service.environment.items():
        if names_secret(name) and holds_secret(value):
            yield Problem(
                ("environment", name),
                f"{name} is a secret in clear",
                help=f"write `{name}=...` into a file on the host that only root reads, name it in `environment-files`,"
                " and replace the value: this one is known",
                based_on=(f"the name {name}",),
                secret=True,
            )
