"""Two listeners of one host on the same port.

## What it does

Works out the TCP ports of every service: HTTP (30000 where none is given), NCCL, gRPC, the bootstrap of
disaggregation, the rendezvous of the ranks with the block of ports that attention data parallelism takes above it,
and KV events. A port that occurs twice is reported, within a service too.

## Why

The second server to start loads its weights for minutes and then cannot bind. Which one that is depends on the boot.

## Bad

```yaml
services:
  chat:
    gpus: [0]
  draft:
    gpus: [1]
```

## Good

```yaml
services:
  chat:
    gpus: [0]
    flags:
      port: 30000
  draft:
    gpus: [1]
    flags:
      port: 30100
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.host._ports import Port, ports
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import HostView

RULE = Rule("HST001", "port-used-twice", Severity.ERROR, "host")


def check(view: HostView) -> Iterator[Problem]:
    """Ports with two owners: once for each pair of services and flags, however many ports they share."""
    taken: dict[int, tuple[str, Port]] = {}
    told: dict[tuple[str, object, str, object], list[tuple[int, Port, Port]]] = {}
    for name, service in view.services.items():
        args = arguments(service)
        for port in ports(args) if args is not None else ():
            owner, other = taken.setdefault(port.number, (name, port))
            if other is not port:
                told.setdefault((name, port.route, owner, other.route), []).append((port.number, port, other))
    for (name, _, owner, _), shared in told.items():
        yield _problem(view, name, owner, shared, set(taken))


def _problem(view: HostView, name: str, owner: str, shared: list[tuple[int, Port, Port]], taken: set[int]) -> Problem:
    number, port, other = shared[0]
    who = f"{owner} and {name}" if owner != name else name
    more = f" (and {len(shared) - 1} more)" if len(shared) > 1 else ""
    return Problem(
        ("services", name, *port.route),
        f"port {number} is used twice on {view.host}: by {who}{more}",
        "value" if port.route else "key",
        arithmetic=(f"{owner}: {number} for {other.use}", f"{name}: {number} for {port.use}"),
        help=_help(port, taken),
        based_on=(f"the flags and defaults of {who}",),
        related=((("services", owner, *other.route), f"{owner}, {other.use}"),),
    )


def _help(port: Port, taken: set[int]) -> str:
    free = next(
        (start for start in range(port.number - port.number % 100 + 100, 65_000, 100) if start not in taken), None
    )
    return f"write `port: {free}`" if port.use == "HTTP" and free else "give one of them another port"
