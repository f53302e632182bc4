"""A host pool that the release's own check refuses, or lets through although it cannot fit.

## What it does

Repeats the check that the release makes before it allocates a host pool: each rank for itself against what is free
less 10 GiB, from 0.5.19 against its share of it, where a rank that comes later sees what others have pinned and divides
that again. The pool must also be larger than the GPU's in releases up to 0.5.14, which a small `hicache-size` misses.

## Why

The check comes after all weights are loaded. One that depends on the order of the ranks passes today and fails at the
next restart; one that each rank passes alone does not protect the host from all of them together.

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-8B
  tp-size: 2
  enable-hierarchical-cache: true
  hicache-size: 2
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
  - {index: 1, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 135000000000, available-bytes: 128000000000}
```

## Good

```yaml
flags:
  model-path: Qwen/Qwen3-8B
  tp-size: 2
  enable-hierarchical-cache: true
  hicache-ratio: 1.3
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
  - {index: 1, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 135000000000, available-bytes: 128000000000}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.memory._pools import pools_of, ratio_help
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.memory._pools import Pools
    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM012", "engine-refuses-pool", Severity.ERROR, "machine")

_SAID = {
    "too-small": "refuses the host pool: it must be larger than the pool on the GPU",
    "refused": "refuses the host pool: not enough memory by its own check",
    "order": "starts or not depending on the order in which ranks make their host pools",
    "unsummed": "lets every rank's host pool pass, and never adds them up",
}


def check(view: MachineView) -> Iterator[Problem]:
    """The engine's own check, for all ranks."""
    found = pools_of(view)
    if found is None or found.share.check is None or found.share.check.verdict == "passes":
        return
    verdict = found.share.check.verdict
    if verdict == "too-small" and found.share.ratio is not None:
        return  # CMB002 says it without any budget
    surely = verdict != "order" and _is_sure(found)
    yield Problem(
        found.route,
        f"SGLang {view.service.release} {'' if surely or verdict == 'order' else 'may be one that '}{_SAID[verdict]}",
        arithmetic=(*found.sums, found.share.check.arithmetic),
        help=_larger(found) if verdict == "too-small" else ratio_help(found),
        based_on=(f"hosts/{view.host}/facts.yaml memory", f"SGLang {view.service.release}, srt/mem_cache"),
        severity=None if surely else Severity.WARNING,
    )


def _is_sure(found: Pools) -> bool:
    """Whether the verdict is the same at the favourable end of the KV pool's error."""
    error = found.budget.error_tokens
    if not error:
        return True

    from sgfleet.memory.host_check import engine_check

    share, facts = found.share, found.memory.host.facts
    if share.check is None or facts.available_bytes is None:
        return False
    tokens = found.budget.tokens
    factor = max(0.0, 1 - error / tokens) if tokens else 1.0
    grown = 1.0 if share.ratio is None else factor
    pools = tuple(
        pool._replace(
            device_tokens=int(pool.device_tokens * factor),
            tokens=int(pool.tokens * grown),
            bytes=int(pool.bytes * grown),
            resident_bytes=int(pool.resident_bytes * grown),
        )
        for pool in share.rank_pools
    )
    others = found.memory.host.pinned_bytes - share.pinned_bytes
    again = engine_check(
        found.service.settings.release, pools, share.ranks, facts.available_bytes - others, share.ratio
    )
    return again.verdict == share.check.verdict


def _larger(found: Pools) -> str:
    sizes = found.share.sizes
    if sizes is None or sizes.safe is None:
        return ratio_help(found)
    return f"hicache-size {sizes.least} to {sizes.safe}, or hicache-ratio instead"
