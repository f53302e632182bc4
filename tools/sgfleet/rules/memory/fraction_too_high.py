"""A memory fraction that leaves too little for graphs and activations.

## What it does

Takes weights and KV pool at `mem-fraction-static`, what lies outside the fraction (draft, request table) and what
graphs and one prefill chunk want, and holds them against what is free on the GPU. What is wanted is a rule of thumb,
within half: an error says that the GPU is overdrawn even at the favourable end and before any activation; otherwise it
is a warning.

## Why

The KV pool is made, and then CUDA runs out of memory: while graphs are captured, or under load at the first long
prompt, which is worse. This is the second of two ways to run out of memory: a fraction that is too low is the first
(MEM002).

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-32B
  tp-size: 2
  mem-fraction-static: 0.995
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
from sgfleet.rules.memory._budget import free_sum, gib, known, sources
from sgfleet.rules.memory._fractions import fraction_help
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM003", "fraction-too-high", Severity.ERROR, "machine")


def check(view: MachineView) -> Iterator[Problem]:
    """Graphs and activations do not fit beside the pools."""
    found = known(view)
    if found is None or found.window.is_empty:
        return
    budget, window = found.budget, found.window
    value = budget.fraction.value
    if value <= window.high or budget.tokens <= 0 or (not budget.fraction.asked and value <= window.high + 0.05):
        return
    from sgfleet.memory.runtime import ERROR

    error = budget.free_before.error_bytes + budget.weights.error_bytes + int(budget.graph_bytes * ERROR)
    surely = budget.left_bytes + error < 0
    activations = budget.needed_bytes - budget.graph_bytes
    name = "mem-fraction-static" if budget.fraction.asked else "the default memory fraction"
    draft = f", draft {gib(budget.draft_outside_bytes)} outside the fraction" if budget.draft_outside_bytes else ""
    most = f"the most that works is {window.high:.3f} ± {window.high_error:.3f}"
    if not window.is_known:
        most = f"how much they take is estimated within {window.high_error:.3f} of the GPU"
    smaller = "a smaller cuda-graph-max-bs or chunked-prefill-size"
    help_ = fraction_help(view, found, RULE.code)
    yield Problem(
        found.args.route("mem-fraction-static"),
        f"{name} {value:.3f} {'leaves' if surely else 'may leave'} too little for graphs and activations: {most}",
        arithmetic=(
            free_sum(budget),
            f"(1 - {value:.3f}) × {gib(budget.free_before.bytes)} = {gib(budget.slack_bytes)} outside the fraction",
            f"graphs {gib(budget.graph_bytes)}, activations about {gib(activations)} (estimated, within half){draft}",
            f"left for activations: {gib(budget.left_bytes)}",
        ),
        help=f"{help_}, or {smaller}" if help_.startswith("write") else help_,
        based_on=sources(view, budget),
        severity=None if surely else Severity.WARNING,
    )
