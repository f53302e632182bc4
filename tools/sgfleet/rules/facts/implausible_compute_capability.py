"""A compute capability that the GPU cannot have.

## What it does

Holds `compute-capability` of each GPU against the card that its name means, where the list of cards has it; of any
other card, against the form: 90.0 is 9.0, written as compilers write it.

## Why

It decides which kernels there are, how large the default memory fraction is and which backends SGLang takes: with
another one, the budgets and the verdicts are those of another card.

## Bad

```yaml
host: example-01
services:
  chat: {}
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "12.5"}
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
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import HostView

RULE = Rule("FCT011", "implausible-compute-capability", Severity.ERROR, "host")

_MOST_MAJOR: Final = 29
"""The newest of 2026 is 12; what compilers call sm_30 and later would be more."""
_SOURCE: Final = "what nvidia-smi prints as compute_cap; `sgfleet facts` on the host does"


def check(view: HostView) -> Iterator[Problem]:
    """Capabilities of another card."""
    for position, gpu in enumerate((view.facts.gpus if view.facts is not None else None) or ()):
        said = gpu.compute_capability
        if said is None:
            continue
        has = _capability_of(gpu.name)
        major, _, minor = said.partition(".")
        if has == said or (has is None and int(major) <= _MOST_MAJOR):
            continue
        if has is not None:
            why, help_ = f"and such a card has {has}", f'write compute-capability: "{has}", or {_SOURCE}'
        else:
            meant = f"{major[:-1]}.{major[-1]}" if minor == "0" and len(major) <= len("120") else None
            why = "and no GPU has one so high"
            help_ = f'write compute-capability: "{meant}", or {_SOURCE}' if meant else f"write {_SOURCE}"
        yield Problem(
            ("facts", "gpus", position, "compute-capability"),
            f"GPU {gpu.index} of {view.host} ({quoted(gpu.name)}) is said to have compute capability {said}, {why}",
            help=help_,
            based_on=(f"hosts/{view.host}/facts.yaml gpus", "compute capability by the name of the card"),
        )


def _capability_of(name: str) -> str | None:
    """What the card has by its name."""
    from sgfleet.memory.cards import card

    found = card(name, 1).capability
    return None if found is None else f"{found[0]}.{found[1]}"
