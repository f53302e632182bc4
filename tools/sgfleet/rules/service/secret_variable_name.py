"""A variable under `secrets:` that is not written in upper case.

## What it does

Looks whether the names of variables under `secrets:` are in upper case.

## Why

The name of an environment variable is, by custom; a password or a key is not. What stands here in lower case may be
the secret itself, which `secrets:` never holds. Until it is known to be a name, no output shows it.

## Bad

```yaml
secrets:
  api-key: correcthorse
environment-files: [/etc/sglang/secrets.env]
```

## Good

```yaml
secrets:
  api-key: CHAT_API_KEY
environment-files: [/etc/sglang/secrets.env]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("SRV011", "secret-variable-name", Severity.WARNING, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Names of variables that may be values."""
    for flag, variable in view.service.secrets.items():
        if variable != variable.upper():
            name = flag.strip("-").replace("-", "_").upper()
            yield Problem(
                ("secrets", flag),
                f"the variable of {quoted(flag)} is not in upper case: is it the secret itself?",
                help=f"write the name of a variable, such as {name}; if this was the secret, replace it: it is known",
                based_on=("the names of environment variables by custom",),
                secret=True,
            )
