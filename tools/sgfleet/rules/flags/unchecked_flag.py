"""A flag that this tool cannot see through.

## What it does

Reports `config`, which names a file with more flags on the host, and flags whose type or action in this release is
not known to this tool.

## Why

What stands in that file goes before the command line and was checked by nobody: it may hold flags that the release
does not have, or set what the spec seems to leave alone. A flag of an unknown type may be right; it has not been said
to be.

## Bad

```yaml
flags:
  config: /etc/sglang/extra.yaml
```

## Good

The flags of the file stand in the spec.

```yaml
flags:
  schedule-conservativeness: 0.8
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("FLG010", "unchecked-flag", Severity.WARNING, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """`config`, and flags that are opaque."""
    args = arguments(view)
    if args is None:
        return
    basis = (f"schema/sglang/{view.service.release}.json",)
    for wrong in args.wrong.values():
        if wrong.problem.kind == "opaque":
            message = f"{wrong.name} is not checked: {wrong.problem.message}"
            yield Problem(("flags", wrong.name), message, help=wrong.problem.help, based_on=basis)
    given = args.said("config")
    if given is not None:
        yield Problem(
            given.route,
            "config names a file whose flags are not checked",
            help="write the file's flags into the spec",
            based_on=basis,
        )
