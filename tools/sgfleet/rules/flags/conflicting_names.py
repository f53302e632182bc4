"""One setting given twice, by two names.

## What it does

Finds flags of a service that set the same thing: two names of one flag, a flag and its `no-` twin, two flags that
store in the same place, or one that stands under `flags:` and under `secrets:`.

## Why

SGLang's parser keeps the last one and says nothing. Which one that is depends on the order of the command line, which
nobody chose.

## Bad

```yaml
flags:
  tp-size: 4
  tensor-parallel-size: 8
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
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import Route, ServiceView

RULE = Rule("FLG007", "conflicting-names", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Names that share a destination with an earlier one."""
    if view.release is None:
        return
    service = view.service
    first: dict[str, Route] = {}
    for mapping, names in (("flags", service.flags), ("secrets", service.secrets)):
        for name, value in names.items():
            flag = view.release.by_name.get(name)
            if flag is None or value is None or (value is False and flag.action != "BooleanOptionalAction"):
                continue
            route: Route = (mapping, name)
            other = first.setdefault(flag.dest, route)
            if other is not route:
                yield _problem(route, other, service.release)


def _problem(route: Route, other: Route, release: str) -> Problem:
    if route[1] == other[1]:
        message = f"{route[1]} stands under flags and under secrets"
        help_ = "remove it from flags: a secret stays on the host"
    else:
        message = f"{route[1]} and {other[1]} set the same thing: the server would keep one of them"
        help_ = f"write one of {other[1]} and {route[1]}"
    return Problem(
        route,
        message,
        "key",
        help=help_,
        based_on=(f"schema/sglang/{release}.json",),
        related=((other, "the other one"),),
    )
