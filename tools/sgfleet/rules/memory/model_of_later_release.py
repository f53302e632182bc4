"""A model that the release does not know yet.

## What it does

Holds the architecture in the checkpoint's configuration against the first release that has an implementation of it.

## Why

The release ends with "model architectures are not supported", or falls back to a slow one of transformers. (A package
of models of one's own may stand in: then waive it.)

## Bad

```yaml
release: "0.5.5"
flags:
  model-path: Qwen/Qwen3.5-27B
```

## Good

```yaml
release: "0.5.9"
flags:
  model-path: Qwen/Qwen3.5-27B
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments, between
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM025", "model-of-later-release", Severity.WARNING, "machine")


def check(view: MachineView) -> Iterator[Problem]:
    """The release is older than its implementation."""
    args = arguments(view)
    if args is None or view.memory is None or args.said("model-path") is None:
        return
    from sgfleet.memory.architectures import first_release
    from sgfleet.memory.of_host import Unknown

    service = view.memory().service(view.name)
    if isinstance(service, Unknown):
        return
    shape = service.load.shape
    first = first_release(shape.architecture)
    if first is None or between(view.service.release, first):
        return
    yield Problem(
        args.route("model-path"),
        f"SGLang {view.service.release} has no implementation of {shape.architecture}",
        help=f"it came with {first}",
        based_on=(shape.source.name, "the model registries of all releases"),
    )
