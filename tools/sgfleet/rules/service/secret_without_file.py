"""A secret whose variable no file on the host can hold.

## What it does

Looks for `secrets:` without any `environment-files`.

## Why

`secrets: {api-key: CHAT_API_KEY}` puts `${CHAT_API_KEY}` on the command line, and systemd fills in the variable from
the environment files. Where there is none the word is empty: the server starts, with an empty key.

## Bad

```yaml
secrets:
  api-key: CHAT_API_KEY
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
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("SRV006", "secret-without-file", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Secrets that come from nowhere."""
    service = view.service
    if service.environment_files:
        return
    for flag, variable in service.secrets.items():
        if variable not in service.environment:
            yield Problem(
                ("secrets", flag),
                f"{variable} is in no file: {flag} would be empty",
                help="add `environment-files: [/etc/sglang/secrets.env]`",
                based_on=("systemd.service(5), command lines: an unset variable is empty",),
            )
