"""Weights that leave no memory fraction with which the service could run.

## What it does

Computes what a rank holds before any KV pool (weights, draft, caches) and what must stay free beside it (graphs, the
activations of one prefill chunk), and holds both against the GPU. An error says that they do not fit even at the
favourable end of every estimate; a warning that they do not fit by the estimates themselves.

## Why

No value of `mem-fraction-static` helps: a low one ends with "not enough memory" when the KV pool is made, a high one
with CUDA out of memory while weights load or graphs are captured. With `restart: always` the host loads weights for
ever.

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-32B
  tp-size: 1
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
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.memory._budget import Known
    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM001", "weights-over-gpu", Severity.ERROR, "machine")


def check(view: MachineView) -> Iterator[Problem]:
    """No fraction works."""
    found = known(view)
    if found is None or not found.window.is_empty:
        return
    budget, window = found.budget, found.window
    surely = window.low - window.low_error > window.high + window.high_error
    verb = "do not fit" if surely else "may not fit"
    free, counted = budget.free_before.bytes, counted_bytes(budget)
    rest = free - counted - budget.needed_bytes
    yield Problem(
        found.args.route("tp-size"),
        f"the weights {verb} on the GPU: no mem-fraction-static works",
        arithmetic=(
            weights_sum(budget),
            free_sum(budget),
            f"graphs and activations about {gib(budget.needed_bytes)} (estimated, within half)",
            f"{gib(free)} - {gib(counted)} - {gib(budget.needed_bytes)} = {gib(rest)} for a KV pool",
            f"room for the weights: fractions from {window.low:.3f} ± {window.low_error:.3f}",
            f"room for the rest: fractions up to {window.high:.3f} ± {window.high_error:.3f}",
        ),
        help=_help(view, found),
        based_on=sources(view, budget),
        severity=None if surely else Severity.WARNING,
    )


def _help(view: MachineView, found: Known) -> str:
    from sgfleet.memory.of_host import Unknown, budget_of
    from sgfleet.memory.window import window_of

    settings, gpus = found.service.settings, len((view.facts.gpus if view.facts is not None else None) or ())
    most = max(gpus * settings.nodes // max(1, settings.pp * settings.replicas), 16)
    size = settings.tp
    while (size := size * 2) <= most:
        changed = found.memory.variant(view.name, {str(found.args.route("tp-size")[-1]): size})
        budget = changed if isinstance(changed, Unknown) else budget_of(changed)
        if isinstance(budget, Unknown) or window_of(budget).is_empty:
            continue
        ranks = size * settings.pp * settings.replicas // settings.nodes
        where = "" if ranks <= gpus else f", on a host with {ranks} such GPUs"
        return f"tp-size {size} works{where}: weights {gib(budget.weights.bytes)} a rank"
    return "take a smaller checkpoint, or one that is quantised further"
