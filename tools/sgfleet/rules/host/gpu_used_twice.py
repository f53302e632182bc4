"""A GPU that two services of a host use.

## What it does

Works out the GPUs that each service's ranks take: by `gpus:`, the parallel sizes, `base-gpu-id` and `gpu-id-step`.
Where the sizes are not known, every GPU that the service is given counts.
A service is reported once, with the others that take its GPUs.

## Why

The second service to load finds the first one's weights on its GPU: it runs out of memory, or gets a KV pool of what
is left, or refuses because memory is uneven over its ranks. Several small models can share a GPU on purpose, with
memory fractions that allow it: then a waiver says so.

## Bad

```yaml
services:
  chat:
    gpus: [0, 1]
    flags: {tp-size: 2, port: 30000}
  draft:
    gpus: [1]
    flags: {port: 30100}
```

## Good

```yaml
services:
  chat:
    gpus: [0, 1]
    flags: {tp-size: 2, port: 30000}
  draft:
    gpus: [2]
    flags: {port: 30100}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.gpus import room, takers, with_gpus
from sgfleet.rules.rule import Problem, Rule, Together

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import HostView

MOST_NAMED: Final = 4
"""Other services whose place a finding shows."""
RULE = Rule("HST002", "gpu-used-twice", Severity.ERROR, "host")


def check(view: HostView) -> Iterator[Problem]:
    """GPUs with two services: once for each service, however many before it take them too."""
    if len(view.services) < 2:
        return
    services = view.services if isinstance(view.services, Together) else Together(view.services)
    used = takers(services).used
    proposed = set[int]()
    names = list(view.services)
    for position, name in enumerate(names):
        shared = {other: said for other in names[:position] if (said := _shared(used[other], used[name])) is not None}
        if shared:
            yield _problem(view, name, shared, _help(view, services, name, proposed))


def _shared(first: frozenset[int] | None, second: frozenset[int] | None) -> str | None:
    """The common GPUs in words, None where there are none."""
    if first is None and second is None:
        return "all GPUs"
    common = second if first is None else first if second is None else first & second
    if not common:
        return None
    return f"GPU{'s' if len(common) > 1 else ''} {', '.join(map(str, sorted(common)))}"


def _help(view: HostView, services: Together, name: str, proposed: set[int]) -> str:
    """What to write for a service; what has been proposed to another one is no longer free."""
    left = room(name, services, view.facts, proposed)
    if left is None or left.ranks is None:
        return "give each service GPUs of its own with `gpus:`"
    gpus = left.enough()
    if gpus is None:
        return f"{left.lack}; lower the sizes of a service, or move one to another host"
    proposed.update(gpus)
    service = view.services[name]
    return with_gpus(gpus, service.service, arguments(service))


def _problem(view: HostView, name: str, shared: dict[str, str], help_: str) -> Problem:
    """`shared`: other service -> the GPUs that it takes too, in words."""
    other, gpus = next(iter(shared.items()))
    more = f" (one of {len(shared)} that share GPUs with {name})" if len(shared) > 1 else ""
    known = view.facts is not None and view.facts.gpus is not None
    return Problem(
        ("services", name, "gpus"),
        f"{gpus} {'are' if gpus.startswith(('GPUs', 'all')) else 'is'} used by {other} and by {name}{more}",
        help=help_,
        based_on=("gpus and the parallel sizes", *((f"hosts/{view.host}/facts.yaml",) if known else ())),
        related=tuple((("services", each, "gpus"), f"{each}, {shared[each]}") for each in list(shared)[:MOST_NAMED]),
    )
