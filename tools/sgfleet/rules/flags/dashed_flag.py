"""A flag's name with the dashes of the command line in front.

## What it does

Finds names under `flags:` and `secrets:` that are a flag of the release as soon as their leading dashes are gone.

## Why

The renderer puts the dashes there. A name that has its own would become `----tp-size`.

## Bad

```yaml
flags:
  --tp-size: 8
```

## Good

```yaml
flags:
  tp-size: 8
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.flags._names import instead, undeclared
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("FLG004", "dashed-flag", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Names that begin with dashes."""
    for name in undeclared(view):
        if name.fault == "dashes":
            yield Problem(
                name.route,
                f"{quoted(name.written)} is written without the dashes: {name.meant[0]}",
                "key",
                help=instead(view, name.written, name.meant, f"write {name.meant[0]}"),
                based_on=(f"schema/sglang/{view.service.release}.json",),
            )
