"""Facts that could not be read, and why.

## What it does

Repeats what `sgfleet facts` wrote under `unknown:`, each fact with its reason.

## Why

What is unknown is not checked, and a clean check is worth that much less. The reason often says what to do: a program
that is missing, a folder that may not be read.

## Bad

```yaml
host: example-01
services:
  chat: {}
```
```yaml
# facts.yaml
gpus: []
unknown:
  limits.memory-bytes: no permission to read /sys/fs/cgroup/memory.max
```

## Good

```yaml
host: example-01
services:
  chat: {}
```
```yaml
# facts.yaml
gpus: []
limits: {memory-bytes: infinity}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import HostView

RULE = Rule("FCT008", "unread-facts", Severity.NOTE, "host")

_SHOWN = 8
"""Facts that are named with their reasons; the rest is counted."""


def check(view: HostView) -> Iterator[Problem]:
    """All of `unknown:` in one note."""
    if view.facts is None or not view.facts.unknown:
        return
    unknown = view.facts.unknown
    reasons = [f"{quoted(name)}: {quoted(why)}" for name, why in unknown.items()]
    more = [f"and {len(reasons) - _SHOWN} more"] if len(reasons) > _SHOWN else []
    first, *others = unknown
    names = f"{quoted(first)} and {len(others)} more facts" if others else quoted(first)
    yield Problem(
        ("facts", "unknown"),
        f"{names} of {view.host} could not be read: what needs {'them' if others else 'it'} is not checked",
        "key",
        arithmetic=(*reasons[:_SHOWN], *more),
        help="put the cause right and run `sgfleet facts` on the host again",
        based_on=(f"hosts/{view.host}/facts.yaml unknown",),
    )
