"""A secret in clear under `flags:`.

## What it does

Looks for values of flags that hold a secret by their name: `api-key`, `admin-api-key`, `ssl-keyfile-password`, and
whatever a release calls a key, token or password. The value itself is not shown.

## Why

What stands in a spec stands in every clone of the repository, in its history and in the rendered unit. No release of
SGLang reads its API keys from a file or a variable of its own: they are flags. `secrets:` names the variable, the
host keeps its value in an environment file that only root reads, and systemd puts it on the command line.

## Bad

```yaml
flags:
  api-key: correct-horse-battery-staple
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
from sgfleet.rules.credentials import holds_secret, names_secret
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("FLG015", "secret-flag", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Values of flags whose name says that they are secret."""
    for name, value in view.service.flags.items():
        if names_secret(name) and holds_secret(value):
            variable = name.lstrip("-").replace("-", "_").upper()
            yield Problem(
                ("flags", name),
                f"{quoted(name)} is a secret in clear",
                help=f"keep it on the host: `secrets: {{{name}: {variable}}}`, with {variable} in one of"
                " `environment-files`; and replace the value: this one is known",
                based_on=(f"the name {name}",),
                secret=True,
            )
