"""A GPU's memory that cannot be.

## What it does

Holds `memory-mib` of each GPU against the card that its name means, and reports what is more than twice as much or less
than half as much; of a card that is not in the list, what is below 1 GiB. Parts of a card (MIG, virtual GPUs) may have
any size.

## Why

Whoever writes facts by hand writes GB, or the memory of all cards together. Every budget starts from this figure: with
it wrong none of them is worth anything.

## Bad

```yaml
host: example-01
services:
  chat: {}
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 48}
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
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068}
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import HostView
    from sgfleet.spec.facts import Gpu

RULE = Rule("FCT009", "implausible-gpu-memory", Severity.ERROR, "host")

_FACTOR: Final = 2
"""Further apart than any two variants of one name are."""
_LEAST_MIB: Final = 1024
_VIRTUAL: Final = re.compile(r"-[0-9]+[ABCQ]$")
"""How names of virtual GPUs end: "NVIDIA L40S-8Q" has 8 GiB of the card."""


def check(view: HostView) -> Iterator[Problem]:
    """Figures that are not MiB of this card."""
    for position, gpu in enumerate((view.facts.gpus if view.facts is not None else None) or ()):
        if gpu.memory_mib is None or gpu.mig or _VIRTUAL.search(gpu.name):
            continue
        there = _memory_of(gpu)
        if there is None and gpu.memory_mib >= _LEAST_MIB:
            continue
        if there is not None and there / _FACTOR <= gpu.memory_mib <= there * _FACTOR:
            continue
        has = "less than any GPU has" if there is None else f"and such a card has {there:,} MiB"
        yield Problem(
            ("facts", "gpus", position, "memory-mib"),
            f"GPU {gpu.index} of {view.host} ({quoted(gpu.name)}) is said to have {gpu.memory_mib:,} MiB, {has}",
            help="MiB, not GB? "
            + ("w" if there is None else f"write memory-mib: {there}, or w")
            + "hat nvidia-smi prints as memory.total; `sgfleet facts` on the host writes it",
            based_on=(f"hosts/{view.host}/facts.yaml gpus", "memory by the name of the card"),
        )


def _memory_of(gpu: Gpu) -> int | None:
    """What the card has by its name, MiB."""
    from sgfleet.memory.cards import card

    return card(gpu.name, 1).memory_mib
