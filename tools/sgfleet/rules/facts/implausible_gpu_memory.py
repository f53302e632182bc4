"""A GPU's memory that cannot be.

## What it does

Holds `memory-mib` of each GPU against the card that its name means, and reports what is more than twice as much or less
than half as much; of a card that is not in the list, what is below 1 GiB. Parts of a card (MIG, virtual GPUs) may have
any size. Twice as much is a warning only: there are cards that were rebuilt so.

## Why

Whoever writes facts by hand writes GB, or the memory of all cards together. Every budget starts from this figure: with
it wrong none of them is worth anything. Facts belong to a host, so no service's waiver accepts this: where the figure
is right, `FCT009: note` under `policy.severity` of fleet.yaml lets it pass.

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
    from sgfleet.spec.models.facts import Gpu

RULE = Rule("FCT009", "implausible-gpu-memory", Severity.ERROR, "host")

_FACTOR: Final = 2
"""Further apart than any two variants of one name are."""
_NEAR: Final = 0.1
_LEAST_MIB: Final = 1024
_MOST_MIB: Final = 1024 * 1024
_UNITS: Final = (("GiB", 1024), ("KiB", 1 / 1024), ("bytes", 1 / 1024**2))
"""What people write instead, in MiB."""
_PASSES: Final = "`FCT009: note` under `policy.severity` of fleet.yaml lets it pass"
_REBUILT: Final = (
    "a card rebuilt with twice its memory? " + _PASSES + "; otherwise write memory-mib: {}, or what nvidia-smi prints"
    " as memory.total"
)
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
        if there is not None and _fits(gpu.memory_mib, there):
            continue
        has = "less than any GPU has" if there is None else f"and such a card has {there:,} MiB"
        rebuilt = there is not None and abs(gpu.memory_mib / there - _FACTOR) <= _NEAR
        yield Problem(
            ("facts", "gpus", position, "memory-mib"),
            f"GPU {gpu.index} of {view.host} ({quoted(gpu.name)}) is said to have {gpu.memory_mib:,} MiB, {has}",
            help=_REBUILT.format(there) if rebuilt else _help(gpu.memory_mib, there),
            based_on=(f"hosts/{view.host}/facts.yaml gpus", "memory by the name of the card"),
            severity=Severity.WARNING if rebuilt else None,
        )


def _help(written: int, there: int | None) -> str:
    """The unit in which the figure would fit, and what to write."""
    unit = next((unit for unit, mib in _UNITS if _fits(written * mib, there)), None)
    asks = f"{written:,} {unit}? The unit here is MiB: " if unit is not None else ""
    if there is None:
        return f"{asks}write what nvidia-smi prints as memory.total; `sgfleet facts` on the host does"
    return (
        f"{asks}write memory-mib: {there}, or what nvidia-smi prints as memory.total, as `sgfleet facts` on the host"
        f" does; where it prints {written}, {_PASSES}"
    )


def _fits(mib: float, there: int | None) -> bool:
    if there is None:
        return _LEAST_MIB <= mib <= _MOST_MIB
    return there / _FACTOR <= mib <= there * _FACTOR


def _memory_of(gpu: Gpu) -> int | None:
    """What the card has by its name, MiB."""
    from sgfleet.memory.cards import card

    return card(gpu.name, 1).memory_mib
