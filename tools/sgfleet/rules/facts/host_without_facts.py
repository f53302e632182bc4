"""A host of which nothing is known.

## What it does

Looks for hosts/<host>/facts.yaml, and whether it could be used: one with an error in it says nothing.

## Why

Without facts nobody knows how many GPUs the host has, how much memory, and of which kind: no rule that needs them has
said anything, and a clean check is worth that much less.

## Bad

```yaml
host: example-01
services:
  chat:
    flags: {tp-size: 2}
```

## Good

```yaml
host: example-01
services:
  chat:
    flags: {tp-size: 2}
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068}
  - {index: 1, name: NVIDIA L40S, memory-mib: 46068}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import HostView

RULE = Rule("FCT001", "host-without-facts", Severity.WARNING, "host")


def check(view: HostView) -> Iterator[Problem]:
    """No facts.yaml, or none that can be used."""
    path = f"hosts/{view.host}/facts.yaml"
    if view.facts is None and view.has_facts_file:
        yield Problem(
            ("host",),
            f"{path} cannot be used: the GPUs and the memory of {view.host} are not checked",
            help=f"put right what is said about {path}, or run `sgfleet facts` on the host and commit what it writes",
            based_on=(path,),
        )
    elif view.facts is None:
        yield Problem(
            ("host",),
            f"nothing is known of {view.host}: its GPUs and its memory are not checked",
            help=f"run `sgfleet facts` on it and commit {path}",
            based_on=(f"hosts/{view.host}/",),
        )
