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
from sgfleet.rules.gpus import room_of
from sgfleet.rules.ranks import layout
from sgfleet.rules.rule import Problem, Rule
from sgfleet.spec.words import gpus_there

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
    wrong = [position for position, index in enumerate(service.gpus) if index not in there]
    if not wrong:
        return
    helps = _helps(view, service.gpus, wrong)
    for position in wrong:
        yield Problem(
            ("gpus", position),
            f"{view.host} has no GPU {service.gpus[position]}: it has {gpus_there(there)}",
            help=helps[position],
            based_on=basis,
        )


def _helps(view: MachineView, gpus: Sequence[int], wrong: Sequence[int]) -> dict[int, str]:
    """What to do about each position: a GPU of its own where there are enough."""
    args, left = arguments(view), room_of(view)
    ranks = layout(args) if args is not None else None
    idle = set(wrong) - set(ranks.devices()) if ranks is not None and ranks.last < len(gpus) else set()
    missing = [position for position in wrong if position not in idle]
    free = [index for index in (left.gpus if left is not None else ()) if index not in gpus]
    if len(free) >= len(missing):
        found = {position: f"write {index}" for position, index in zip(missing, free, strict=False)}
    else:
        many = f"{len(missing)} more are needed, and " if len(missing) > 1 else ""
        have = f"only {len(free)} {'is' if len(free) == 1 else 'are'}" if free else "none is"
        less = "take it out and lower the sizes, or " if len(wrong) < len(gpus) else ""
        words = f"{many}{have} without a service: {less}move the service to another host"
        found = dict.fromkeys(missing, words)
    return found | dict.fromkeys(idle, "take it out: no rank uses it")
