"""GPU indices on a host with different GPUs, and no order for them.

## What it does

Where the facts show GPUs of different products and `gpus:` names some of them, looks for CUDA_DEVICE_ORDER=PCI_BUS_ID
in the environment.

## Why

`gpus:` counts as nvidia-smi does, by PCI bus. CUDA counts the fastest GPU first unless it is told otherwise, and the
renderer passes the indices to CUDA: on a mixed host 2 is then another GPU.

## Bad

```yaml
gpus: [0]
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L4, memory-mib: 23034}
  - {index: 1, name: NVIDIA H100 PCIe, memory-mib: 81559}
```

## Good

```yaml
gpus: [0]
environment:
  CUDA_DEVICE_ORDER: PCI_BUS_ID
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L4, memory-mib: 23034}
  - {index: 1, name: NVIDIA H100 PCIe, memory-mib: 81559}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import MachineView

RULE = Rule("UNT014", "gpu-order", Severity.WARNING, "machine")


def check(view: MachineView) -> Iterator[Problem]:
    """Indices that CUDA may count differently."""
    service, facts = view.service, view.facts
    if facts is None or not facts.gpus or service.gpus == "all":
        return
    products = sorted({gpu.name for gpu in facts.gpus})
    if len(products) > 1 and service.environment.get("CUDA_DEVICE_ORDER") != "PCI_BUS_ID":
        yield Problem(
            ("gpus",),
            f"this host has {len(products)} kinds of GPU, and CUDA counts the fastest first",
            help="add `CUDA_DEVICE_ORDER: PCI_BUS_ID` to `environment`",
            based_on=(f"hosts/{view.host}/facts.yaml", *products),
        )
