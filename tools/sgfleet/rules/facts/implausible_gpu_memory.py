"""A GPU's memory that cannot be.

## What it does

Holds `memory-mib` of each GPU against the card that its name means, and reports what is more than twice as much or less
than half as much; of a card that is not in the list, what is below 1 GiB. A virtual GPU is held against the size in its
name (-8Q has 8 GiB), an instance of MIG against its profile (1g.10gb): under `mig-instances`, and where the GPU's own
name has one, as CUDA names an instance. A GPU that MIG divides may have any size. Twice as much is a warning only:
there are cards that were rebuilt so.

## Why

Whoever writes facts by hand writes GB, or the memory of all cards together. Every budget starts from this figure: with
it wrong none of them is worth anything. Facts belong to a host and to none of its services: where the figure is right,
a waiver under `waive:` of host.yaml itself, beside `services:`, accepts it.

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

from typing import TYPE_CHECKING, Final, NamedTuple

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
_PASSES: Final = "waive FCT009 under `waive:` of host.yaml itself, beside `services:`"
_REBUILT: Final = (
    f"a card rebuilt with twice its memory? Then {_PASSES}; otherwise write memory-mib: {{}}, or what nvidia-smi prints"
    " as memory.total"
)


class _Size(NamedTuple):
    """One figure: where it stands, whose it is, and what such a thing has; None where nobody knows."""

    route: tuple[str | int, ...]
    whose: str
    mib: int
    there: int | None
    such: str = "card"


def check(view: HostView) -> Iterator[Problem]:
    """Figures that are not MiB of this card."""
    for position, gpu in enumerate((view.facts.gpus if view.facts is not None else None) or ()):
        for each in _sizes(gpu):
            if _fits(each.mib, each.there) if each.there is not None else each.mib >= _LEAST_MIB:
                continue
            has = f"less than any {'GPU' if each.such == 'card' else each.such} has"
            if each.there is not None:
                has = f"and such {'an' if each.such == 'instance' else 'a'} {each.such} has {each.there:,} MiB"
            rebuilt = each.there is not None and each.such == "card" and abs(each.mib / each.there - _FACTOR) <= _NEAR
            yield Problem(
                ("facts", "gpus", position, *each.route),
                f"{each.whose} of {view.host} ({quoted(gpu.name)}) is said to have {each.mib:,} MiB, {has}",
                help=_REBUILT.format(each.there) if rebuilt else _help(each.mib, each.there),
                based_on=(f"hosts/{view.host}/facts.yaml gpus", f"memory by the name of the {each.such}"),
                severity=Severity.WARNING if rebuilt else None,
            )


def _sizes(gpu: Gpu) -> Iterator[_Size]:
    from sgfleet.memory.cards import instance_mib, virtual_mib

    whose = f"GPU {gpu.index}"
    if gpu.memory_mib is not None and not gpu.mig:
        instance, virtual = instance_mib(gpu.name), virtual_mib(gpu.name)
        if instance is not None:
            yield _Size(("memory-mib",), whose, gpu.memory_mib, instance, "instance")
        elif virtual is not None:
            yield _Size(("memory-mib",), whose, gpu.memory_mib, virtual, "virtual GPU")
        else:
            yield _Size(("memory-mib",), whose, gpu.memory_mib, _memory_of(gpu))
    for at, part in enumerate(gpu.mig_instances):
        if part.memory_mib is not None:
            where = ("mig-instances", at, "memory-mib")
            there = instance_mib(part.profile or "")
            yield _Size(where, f"instance {at} of GPU {gpu.index}", part.memory_mib, there, "instance")


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
