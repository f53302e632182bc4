"""A flag's name that is cut short.

## What it does

Finds names under `flags:` and `secrets:` that are no flag of the release and the beginning of one or several.

## Why

SGLang's parser completes such names, as `--tp` for `--tp-size`, and what they are completed to changes: a release
that adds a flag with the same beginning makes the name ambiguous and refuses the command line (`--pp` since
0.5.3.post1, `--cuda-graph-max-bs` in 0.5.20). A full name means the same until the flag itself is removed.

## Bad

```yaml
flags:
  tp: 8
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

RULE = Rule("FLG002", "abbreviated-flag", Severity.ERROR, "service")

_LISTED = 6


def check(view: ServiceView) -> Iterator[Problem]:
    """Names that begin a declared one."""
    for name in undeclared(view):
        if name.fault != "abbreviation":
            continue
        flags = {view.release.by_name[each].dest for each in name.meant} if view.release else set()
        if len(flags) == 1:
            message = f"{quoted(name.written)} is an abbreviation of {name.meant[0]}: names are written in full"
            help_ = instead(view, name.written, name.meant, f"write {name.meant[0]}")
        else:
            message = (
                f"{quoted(name.written)} is no flag of SGLang {view.service.release}, and the beginning of {len(flags)}"
            )
            more = f", and {len(name.meant) - _LISTED} more" if len(name.meant) > _LISTED else ""
            help_ = f"write one of {', '.join(name.meant[:_LISTED])}{more}"
        yield Problem(name.route, message, "key", help=help_, based_on=(f"schema/sglang/{view.service.release}.json",))
