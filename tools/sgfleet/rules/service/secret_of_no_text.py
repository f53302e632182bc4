"""A secret for a flag that takes no text.

## What it does

Looks whether the flags under `secrets:` take one value that is text in this release.

## Why

A secret arrives as one word on the command line. A flag that is only there or not there refuses the word; one that
takes a list, a number or a choice is nothing to keep secret, and its value was not checked.

## Bad

```yaml
secrets:
  trust-remote-code: TRUST
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
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("SRV008", "secret-of-no-text", Severity.ERROR, "service")

_TEXT = (None, "str", "nullable_str")


def check(view: ServiceView) -> Iterator[Problem]:
    """Secrets that no word can carry, or that nobody could check."""
    if view.release is None:
        return
    for name in view.service.secrets:
        flag = view.release.by_name.get(name)
        if flag is None or (flag.nargs is None and flag.type in _TEXT and flag.choices is None):
            continue
        what = "takes no value" if flag.nargs == 0 else "takes no plain text"
        yield Problem(
            ("secrets", name),
            f"{name} {what}: it cannot be a secret",
            "key",
            help=f"write {name} under `flags:`",
            based_on=(f"schema/sglang/{view.service.release}.json",),
        )
