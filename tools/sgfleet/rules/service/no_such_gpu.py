"""A GPU that the host does not have.

## What it does

Compares the indices in `gpus:` with those in the host's facts. With `device: cpu`, all GPUs of a host may be none.

## Why

CUDA stops at the first index that it does not know: the service sees none of the GPUs behind it, and fails after it
has started its ranks.

## Bad

```yaml
gpus: [0, 2]
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068}
  - {index: 1, name: NVIDIA L40S, memory-mib: 46068}
```

## Good

```yaml
gpus: [0, 1]
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
from sgfleet.rules.arguments import arguments
from sgfleet.rules.rule import Problem, Rule
from sgfleet.spec.words import gpus_there, spans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import MachineView

RULE = Rule("SRV003", "no-such-gpu", Severity.ERROR, "machine")


def check(view: MachineView) -> Iterator[Problem]:
    """Indices beyond the host's GPUs."""
    service, facts = view.service, view.facts
    if facts is None or facts.gpus is None:
        return
    there = {gpu.index for gpu in facts.gpus}
    basis = (f"hosts/{view.host}/facts.yaml",)
    if service.gpus == "all":
        args = arguments(view)
        if not there and (args is None or args.text("device") != "cpu"):
            yield Problem(("gpus",), f"{view.host} has no GPU", help="move the service to a host that has",
                          based_on=basis)  # fmt: skip
        return
    for position, index in enumerate(service.gpus):
        if index not in there:
            yield Problem(
                ("gpus", position),
                f"{view.host} has no GPU {index}: it has {gpus_there(there)}",
                help=f"write indices out of {spans(there)}" if there else None,
                based_on=basis,
            )
