"""A link of a GPU that there is none of.

## What it does

Looks at `pcie` and `nvlinks` of each GPU for generations above 8, widths that no PCIe link has (there are 1, 2, 4, 8,
12, 16 and 32 lanes), and more than 64 NVLinks.

## Why

The time to bring a prefix back from RAM is estimated from generation and lanes. Somebody who writes them by hand
mistakes one for the other, or writes the rate instead.

## Bad

```yaml
host: example-01
services:
  chat: {}
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, pcie: {generation: 16, width: 4}}
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
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, pcie: {generation: 4, width: 16}}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import HostView
    from sgfleet.spec.models.facts import Gpu

RULE = Rule("FCT014", "implausible-link", Severity.WARNING, "host")

_MOST_GENERATION: Final = 8
"""The newest that is specified; 0 is what a driver says that does not know."""
_WIDTHS: Final = frozenset({0, 1, 2, 4, 8, 12, 16, 32})
_MOST_NVLINKS: Final = 64


def check(view: HostView) -> Iterator[Problem]:
    """Generations, widths and counts beyond what there is."""
    for position, gpu in enumerate((view.facts.gpus if view.facts is not None else None) or ()):
        for route, message, help_ in _wrong(gpu):
            yield Problem(
                ("facts", "gpus", position, *route),
                f"GPU {gpu.index} of {view.host} is said to have {message}",
                help=f"write {help_}; `sgfleet facts` on the host does",
                based_on=(f"hosts/{view.host}/facts.yaml gpus",),
            )


def _wrong(gpu: Gpu) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Where, what is said, and what to write."""
    link = gpu.pcie
    if link is not None:
        generation, width = link.generation or 0, link.width or 0
        if generation > _MOST_GENERATION:
            swapped = generation in _WIDTHS and 0 < width <= _MOST_GENERATION
            way = f"generation: {width} and width: {generation}, or " if swapped else ""
            message = f"a PCIe link of generation {generation}"
            yield ("pcie", "generation"), message, f"{way}what nvidia-smi prints as pcie.link.gen.max"
        for name, lanes in (("width", width), ("current-width", link.current_width or 0)):
            if lanes not in _WIDTHS:
                which = "max" if name == "width" else "current"
                yield (
                    ("pcie", name),
                    f"a PCIe link of {lanes} lanes",
                    f"what nvidia-smi prints as pcie.link.width.{which}",
                )
    if (gpu.nvlinks or 0) > _MOST_NVLINKS:
        yield (
            ("nvlinks",),
            f"{gpu.nvlinks} NVLinks",
            "how many links `nvidia-smi nvlink --status` lists, not their rate",
        )
