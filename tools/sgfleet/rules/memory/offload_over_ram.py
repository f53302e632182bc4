"""Weights that are moved into RAM and do not fit there.

## What it does

Takes what each rank pins at the least for `cpu-offload-gb` (as much as is asked for, or the weights of its layers where
these are less) times the ranks on the host, adds host pools and the same of the other services, and holds the sum
against the RAM that is available with no service running. Models of which it is not sure that the release moves
their layers are not judged, which `MEM030` says.

## Why

What is offloaded is pinned: it cannot be swapped out. Each rank moves its own part without a look at what is free, and
the kernel kills while the weights load.

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-32B
  cpu-offload-gb: 40
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 34000000000}
```

## Good

```yaml
flags:
  model-path: Qwen/Qwen3-32B
  cpu-offload-gb: 24
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 34000000000}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.memory._budget import gib
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.memory.of_host import HostMemory
    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM032", "offload-over-ram", Severity.ERROR, "machine")

_FLAG: Final = "cpu-offload-gb"
_GIB: Final = 2**30


def check(view: MachineView) -> Iterator[Problem]:
    """More is pinned for weights than there is."""
    args = arguments(view)
    if args is None or view.memory is None or not args.number(_FLAG):
        return
    from sgfleet.memory.of_host import Unknown
    from sgfleet.memory.offload import least_offloaded

    memory = view.memory()
    service, facts = memory.service(view.name), memory.host.facts
    if isinstance(service, Unknown) or facts.available_bytes is None:
        return
    rank, ranks = least_offloaded(service), service.ranks
    pools = max(0, memory.host.pinned_bytes - memory.host.error_bytes)
    others = _of_others(memory, view.name)
    beside = pools + others
    if not rank or rank * ranks + beside <= facts.available_bytes or pools > facts.available_bytes:  # MEM010 says that
        return
    most = int((facts.available_bytes - beside - facts.reserve_bytes) // (ranks * _GIB))
    what = "all its RAM" if facts.assumed else "available with no service running"
    own = "weights of its layers" if rank < service.settings.offload_bytes else _FLAG
    flag = args.route(_FLAG)[-1]
    left = facts.available_bytes - beside - rank * ranks
    terms = [f"at least {gib(rank)} a rank ({own}) × {ranks} = {gib(rank * ranks)}"]
    terms += [f"host pools {gib(pools)}"] if pools else []
    terms += [f"offloaded by other services {gib(others)}"] if others else []
    yield Problem(
        args.route(_FLAG),
        f"the offloaded weights do not fit: at least {gib(rank * ranks + beside)} are pinned of"
        f" {gib(facts.available_bytes)}",
        arithmetic=(
            *terms,
            f"{view.host} has {gib(facts.available_bytes)}, {what}",
            f"{gib(facts.available_bytes)} - {gib(rank * ranks + beside)} = {gib(left)}",
        ),
        help=f"{flag} {most} is the largest that RAM has room for" if most >= 1 else f"remove {flag}: no value fits",
        based_on=(f"hosts/{view.host}/facts.yaml memory", service.load.weights.source.name),
    )


def _of_others(memory: HostMemory, name: str) -> int:
    """What the other services of the host pin at the least in the same way."""
    from sgfleet.memory.of_host import Unknown
    from sgfleet.memory.offload import least_offloaded

    services = [memory.service(other) for other in memory.names if other != name]
    return sum(least_offloaded(each) * each.ranks for each in services if not isinstance(each, Unknown))
