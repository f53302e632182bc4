"""A GPU that is there and cannot be used.

## What it does

Reports every GPU for which facts.yaml has a `problem`, such as one that has fallen off the bus, and which services are
given it.

## Why

CUDA does not count a GPU that it cannot open. With it the numbers of the GPUs behind it change, a rank is missing, and
a service that asks for all GPUs fails when it starts.

## Bad

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
  - {index: 1, name: NVIDIA L40S, problem: it has fallen off the bus}
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

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.gpus import room, with_gpus
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import HostView

RULE = Rule("FCT006", "unusable-gpu", Severity.WARNING, "host")

_MOST_NAMED: Final = 3
"""Services for which a finding says what to write."""


def check(view: HostView) -> Iterator[Problem]:
    """GPUs with a problem."""
    proposed = set[int]()
    said: dict[str, str | None] = {}
    for position, gpu in enumerate((view.facts.gpus if view.facts is not None else None) or ()):
        if gpu.problem is None:
            continue
        users = [
            name for name, each in view.services.items() if each.service.gpus == "all" or gpu.index in each.service.gpus
        ]
        for name in users:
            if name not in said:
                said[name] = _instead(view, name, proposed)
        others = [words for name in users[:_MOST_NAMED] if (words := said[name]) is not None]
        ways = others or (["take it out of `gpus:` and lower the sizes"] if users else [])
        given = f"; it is given to {', '.join(users)}" if users else ""
        yield Problem(
            ("facts", "gpus", position, "problem"),
            f"GPU {gpu.index} of {view.host} cannot be used: {quoted(gpu.problem)}{given}",
            help="; or ".join(["repair it, run `sgfleet facts` on the host and commit what it writes", *ways]),
            based_on=(f"hosts/{view.host}/facts.yaml gpus",),
        )


def _instead(view: HostView, name: str, proposed: set[int]) -> str | None:
    """Other GPUs for a service that is given one which cannot be used; None where there are too few."""
    left, service = room(name, view.services, view.facts, proposed), view.services[name]
    gpus = left.enough() if left is not None else None
    if gpus is None:
        return None
    proposed.update(gpus)
    return f"{with_gpus(gpus, service.service, arguments(service))} for {name}"
