"""CUDA_VISIBLE_DEVICES beside `gpus:`.

## What it does

Finds CUDA_VISIBLE_DEVICES (or NVIDIA_VISIBLE_DEVICES) under `environment:`. With `gpus: [...]` the renderer sets the
variable itself, so that another value is lost; with `gpus: all` the variable takes GPUs away that the spec seems to
give.

## Why

One of them is what runs and the other one is what everybody reads: rules about GPUs that are used twice, the plan and
the memory arithmetic go by `gpus:`.

## Bad

```yaml
gpus: [0, 1]
environment:
  CUDA_VISIBLE_DEVICES: "2,3"
```

## Good

```yaml
gpus: [2, 3]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("UNT007", "gpus-in-environment", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """The variable that `gpus:` is rendered to."""
    for name in ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"):
        value = view.service.environment.get(name)
        if value is None:
            continue
        gpus = view.service.gpus
        words = [word.strip() for word in str(value).split(",")]
        listed = ", ".join(words) if all(word.isdigit() for word in words) else None
        if gpus == "all":
            message = f"{name} {quoted(str(value))} narrows gpus all, and nothing that reads gpus knows"
        elif name == "CUDA_VISIBLE_DEVICES" and list(map(str, gpus)) == words:
            message = f"{name} says what gpus says already"
        elif name == "CUDA_VISIBLE_DEVICES":
            message = f"{name} {quoted(str(value))} is lost: gpus {list(gpus)} is rendered to the same variable"
        else:
            message = f"{name} {quoted(str(value))} is another word for gpus"
        same = gpus != "all" and list(map(str, gpus)) == words
        yield Problem(
            ("environment", name),
            message,
            help=f"write `gpus: [{listed}]` and remove {name}" if listed and not same else f"remove {name}",
            based_on=("the renderer, which sets CUDA_VISIBLE_DEVICES from gpus",),
            related=((("gpus",), "gpus"),),
            severity=Severity.NOTE if same else None,
        )
