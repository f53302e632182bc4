"""A flag's name with underscores where the command line has dashes.

## What it does

Finds names under `flags:` and `secrets:` that are a flag of the release as soon as `_` is read as `-`.

## Why

SGLang's Python interface has `tp_size`, its command line `--tp-size`, and no release takes one for the other: the
server exits with "unrecognized arguments".

## Bad

```yaml
flags:
  tp_size: 8
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

RULE = Rule("FLG003", "underscored-flag", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Names whose underscores should be dashes."""
    for name in undeclared(view):
        if name.fault == "underscores":
            yield Problem(
                name.route,
                f"{quoted(name.written)} is written with dashes: {name.meant[0]}",
                "key",
                help=instead(view, name.written, name.meant, f"write {name.meant[0]}"),
                based_on=(f"schema/sglang/{view.service.release}.json",),
            )
