"""A PCIe link with fewer lanes than it could have.

## What it does

Compares the lanes that a GPU uses with those that its link can reach, where facts.yaml has both.

## Why

A card that sits badly or a bad riser halves or quarters the rate at which weights are loaded and KV pages move to the
host pool and back. Nothing fails, and the GPU is slower than its twins.

## Bad

```yaml
host: example-01
services:
  chat: {}
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, pcie: {generation: 4, width: 16, current-width: 4}}
```

## Good

```yaml
host: example-01
services:
  chat: {}
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, pcie: {generation: 4, width: 16, current-width: 16}}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import HostView

RULE = Rule("FCT007", "narrow-pcie-link", Severity.WARNING, "host")


def check(view: HostView) -> Iterator[Problem]:
    """Links that have lost lanes."""
    for position, gpu in enumerate((view.facts.gpus if view.facts is not None else None) or ()):
        link = gpu.pcie
        if link is None or not link.width or link.current_width is None or link.current_width >= link.width:
            continue
        yield Problem(
            ("facts", "gpus", position, "pcie", "current-width"),
            f"GPU {gpu.index} of {view.host} uses {link.current_width} of its link's {link.width} lanes",
            arithmetic=(
                f"{link.current_width} / {link.width} lanes = {link.current_width / link.width:.0%} of the rate",
            ),
            help="seat the card and its riser anew, then run `sgfleet facts` on the host and commit what it writes",
            based_on=(f"hosts/{view.host}/facts.yaml gpus",),
        )
