"""Weights that leave no memory fraction with which the service could run.

## What it does

Computes what a rank holds before any KV pool (weights, draft, caches) and what must stay free beside it (graphs, the
activations of one prefill chunk), and holds both against the GPU. An error says that they do not fit even at the
favourable end of every estimate; a warning that they do not fit by the estimates themselves.
Of a GPU that MIG divides, weights that are larger than the largest instance are an error; the rest is not checked.

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
from sgfleet.rules.arguments import arguments
from sgfleet.rules.memory._budget import counted_bytes, free_sum, gib, known, sources, weights_sum
from sgfleet.rules.memory._fractions import with_fraction
from sgfleet.rules.memory._stages import ANOTHER_HOST, gpus_needed, in_stages
from sgfleet.rules.memory._tried import Tries
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.memory._budget import Known
    from sgfleet.rules.memory._tried import Outcome
    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM001", "weights-over-gpu", Severity.ERROR, "machine")


def check(view: MachineView) -> Iterator[Problem]:
    """No fraction works."""
    found = known(view)
    if found is None:
        yield from _over_instances(view)
        return
    if not found.window.is_empty:
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


def _over_instances(view: MachineView) -> Iterator[Problem]:
    """Weights that no instance of a divided GPU holds, whichever the service gets."""
    from sgfleet.memory.of_host import Unknown

    args, gpus = arguments(view), (view.facts.gpus if view.facts is not None else None) or ()
    if args is None or view.memory is None or not any(gpu.mig for gpu in gpus):
        return
    service = view.memory().service(view.name)
    if isinstance(service, Unknown) or service.observed is not None or not service.hardware.divided:
        return
    divided = [gpu for gpu in gpus if gpu.index in service.hardware.divided]
    memories = [instance.memory_mib for gpu in divided for instance in gpu.mig_instances]
    if service.hardware.count > len(divided) or not memories or None in memories:
        return
    largest = max(size for size in memories if size is not None) * 2**20
    weights, settings = service.load.weights, service.settings
    least = int(weights.largest * (1 if weights.exact else 1 - weights.error))
    if least <= largest:
        return
    yield Problem(
        args.route("model-path"),
        f"the weights do not fit on the largest MIG instance: {gib(least)} or more a rank, and it has {gib(largest)}",
        arithmetic=(_shared(settings.tp * settings.pp),),
        help="turn MIG off, make larger instances, or take a checkpoint whose weights they hold",
        based_on=(f"hosts/{view.host}/facts.yaml gpus", weights.source.name),
    )


def _shared(ranks: int) -> str:
    return f"{ranks} ranks share the weights" if ranks > 1 else "one rank has all the weights"


def _help(view: MachineView, found: Known) -> str:
    tries = Tries(view, RULE.code)
    if tries.is_one:
        return ""
    settings, gpus = found.service.settings, len((view.facts.gpus if view.facts is not None else None) or ())
    most = max(gpus * settings.nodes // max(1, settings.pp * settings.replicas), 16)
    sizes = [settings.tp * 2**power for power in range(1, 11) if settings.tp * 2**power <= most]
    tried = [outcome for size in sizes if (outcome := _of_ranks(view, tries, found, size)) is not None]
    best = min(tried, key=lambda each: _worth(view, each), default=None)  # the first of equals
    if best is not None and not best.errors:
        return f"{_words(view, found, best)}{best.remark}"
    smaller = "take a smaller checkpoint, or one that is quantised further"
    if best is None:
        return smaller
    first = best.errors[0]
    said = f"no tp-size works, as with {_size(found, best)} {first.code} says that {first.message}"
    stages = in_stages(view, found.args, settings, tries)
    return f"{said}; {stages}; or {smaller}" if stages else f"{said}; {smaller}"


def _of_ranks(view: MachineView, tries: Tries, found: Known, size: int) -> Outcome | None:
    """What so many ranks come to; None where there is no room either."""
    outcome = with_fraction(view, found.args, tries, {str(found.args.route("tp-size")[-1]): size})
    return None if any(each.code == RULE.code for each in outcome.said) else outcome


def _worth(view: MachineView, outcome: Outcome) -> tuple[bool, bool, tuple[int, int]]:
    """What is without errors first, then what this host can run."""
    elsewhere = gpus_needed(view, outcome.flags).startswith(ANOTHER_HOST)
    return bool(outcome.errors), elsewhere, outcome.weight


def _size(found: Known, outcome: Outcome) -> str:
    fraction = outcome.flags.get(str(found.args.route("mem-fraction-static")[-1]))
    beside = "" if fraction is None else f" and mem-fraction-static {fraction:.3f}"
    return f"tp-size {outcome.flags[str(found.args.route('tp-size')[-1])]}{beside}"


def _words(view: MachineView, found: Known, outcome: Outcome) -> str:
    from sgfleet.memory.of_host import Unknown

    needed = gpus_needed(view, outcome.flags)
    where = f", {needed}" if needed else ""
    budget = found.memory.changed(view.name, outcome.flags).budget(view.name)
    rank = "" if isinstance(budget, Unknown) else f": weights {gib(budget.weights.bytes)} a rank"
    fraction = "s" if len(outcome.flags) == 1 else ""
    return f"{_size(found, outcome)} work{fraction}{where}{rank}"
