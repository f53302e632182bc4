"""A memory fraction that the weights use up: nothing is left for a KV pool.

## What it does

Multiplies `mem-fraction-static`, or the release's default, with what is free on the GPU, and takes off the weights,
the draft where the release counts it, and caches. Within the error of the estimates it is a warning.

## Why

The server loads all weights, minutes long, and ends with "not enough memory" or "loaded weights leave no GPU memory for
the KV cache". This is the first of two ways to run out of memory: a fraction that is too high is the second (MEM003).

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-32B
  tp-size: 2
  mem-fraction-static: 0.6
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
  - {index: 1, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 270000000000}
```

## Good

```yaml
flags:
  model-path: Qwen/Qwen3-32B
  tp-size: 2
  mem-fraction-static: 0.85
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
  - {index: 1, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 270000000000}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.memory._budget import counted_bytes, free_sum, gib, known, sources, weights_sum
from sgfleet.rules.memory._fractions import fraction_help
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM002", "fraction-too-low", Severity.ERROR, "machine")


def check(view: MachineView) -> Iterator[Problem]:
    """Nothing is left for KV rows."""
    found = known(view)
    if found is None or found.window.is_empty or found.budget.measured_tokens:
        return
    budget, window = found.budget, found.window
    value = budget.fraction.value
    if value >= window.sure_low:
        return
    surely = value < window.low - window.low_error
    name = "mem-fraction-static" if budget.fraction.asked else "the default memory fraction"
    free, counted = budget.free_before.bytes, counted_bytes(budget)
    yield Problem(
        found.args.route("mem-fraction-static"),
        f"{name} {value:.3f} {'leaves' if surely else 'may leave'} no room for a KV pool: the least that works is"
        f" {window.low:.3f}" + (f" ± {window.low_error:.3f}" if window.low_error else ""),
        arithmetic=(
            free_sum(budget),
            weights_sum(budget),
            f"{value:.3f} × {gib(free)} - {gib(counted)} = {gib(value * free - counted)} for the KV pool",
        ),
        help=fraction_help(view, found, RULE.code),
        based_on=sources(view, budget),
        severity=None if surely else Severity.WARNING,
    )
