"""A hierarchical cache for a model that the release has no host pool for.

## What it does

Looks which kinds of KV pool the model needs (latent rows, index keys, sliding windows, states of linear layers) and
whether the release can mirror all of them in host RAM.

## Why

The release fails when it makes the host pool, after the weights are loaded, or mirrors only a part.

## Bad

```yaml
release: "0.5.9"
flags:
  model-path: Qwen/Qwen3.5-27B
  tp-size: 2
  enable-hierarchical-cache: true
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
release: "0.5.9"
flags:
  model-path: Qwen/Qwen3.5-27B
  tp-size: 2
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
from sgfleet.rules.memory._budget import known
from sgfleet.rules.memory._removal import removal
from sgfleet.rules.memory._tried import Tries
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.memory._budget import Known
    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM017", "no-host-pool", Severity.ERROR, "machine")


def check(view: MachineView) -> Iterator[Problem]:
    """No host pool for this kind of model."""
    found = known(view)
    if found is None or found.service.settings.hicache is None:
        return
    refused = found.service.no_host_pool
    if refused is None or refused.startswith("not computed"):
        return
    yield Problem(
        found.args.route("enable-hierarchical-cache"),
        f"the hierarchical cache does not work with this model: SGLang {refused}",
        help=_help(view, found),
        based_on=(found.service.load.shape.source.name, f"SGLang {view.service.release}, srt/mem_cache"),
    )


def _help(view: MachineView, found: Known) -> str:
    """The next release that has the pool, tried with the flags as they are."""
    from sgfleet.memory.era import from_release
    from sgfleet.memory.eras import HOST_KINDS
    from sgfleet.memory.of_host import Unknown

    tries = Tries(view, RULE.code)
    if tries.is_one:
        return ""
    for era in HOST_KINDS.eras:
        if from_release(view.service.release, era.since):
            continue
        there = found.memory.changed(view.name, {}, era.since)
        service = there.service(view.name)
        if isinstance(service, Unknown) or isinstance(there.budget(view.name), Unknown):
            continue
        if service.no_host_pool is None and not tries.outcome({}, era.since).errors:
            return f"{removal(view)}, or take release {era.since}"
    return f"{removal(view)}: no later release that is known here has one for it with these flags"
