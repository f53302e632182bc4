"""A GPU that is listed twice.

## What it does

Looks for indices that occur more than once in `gpus:`.

## Why

CUDA ignores a list of devices from its first repetition on: the service sees fewer GPUs than it was given.

## Bad

```yaml
gpus: [0, 1, 1]
```

## Good

```yaml
gpus: [0, 1, 2]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("SRV002", "repeated-gpu", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Indices that come again."""
    gpus = view.service.gpus
    if gpus == "all" or len(set(gpus)) == len(gpus):
        return
    seen = set[int]()
    for position, index in enumerate(gpus):
        if index in seen:
            once = list(dict.fromkeys(gpus))
            yield Problem(
                ("gpus", position),
                f"GPU {index} is listed twice",
                help=f"write `gpus: {once}`",
                based_on=("the meaning of CUDA_VISIBLE_DEVICES",),
            )
        seen.add(index)
