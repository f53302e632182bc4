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

import re
from itertools import chain
from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.host._ports import Port, ports
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import HostView, ServiceView

    Owner = tuple[str, str, str | None]
    """A service, its flag, and the key in that."""

RULE = Rule("HST001", "port-used-twice", Severity.ERROR, "host")

_FIRST: Final = 30_000
"""Where SGLang's own ports begin."""
_LAST: Final = 65_000


def check(view: HostView) -> Iterator[Problem]:
    """Ports with two owners: once for each pair of services and flags, however many ports they share."""
    taken: dict[int, tuple[str, Port]] = {}
    told: dict[tuple[Owner, Owner], list[tuple[Port, Port]]] = {}
    owned: dict[Owner, list[int]] = {}
    for name, service in view.services.items():
        args = arguments(service)
        for port in ports(args) if args is not None else ():
            owned.setdefault((name, port.flag, port.key), []).append(port.number)
            owner, other = taken.setdefault(port.number, (name, port))
            if other is not port:
                pair = (name, port.flag, port.key), (owner, other.flag, other.key)
                told.setdefault(pair, []).append((port, other))
    free = _Free(owned)
    for (mine, (owner, _, _)), shared in told.items():
        yield _problem(view, mine[0], owner, shared, _help(view.services[mine[0]], shared[0][0], free.instead_of(mine)))


def _problem(view: HostView, name: str, owner: str, shared: list[tuple[Port, Port]], help_: str) -> Problem:
    port, other = shared[0]
    number = port.number
    who = f"{owner} and {name}" if owner != name else name
    more = f" (and {len(shared) - 1} more)" if len(shared) > 1 else ""
    return Problem(
        ("services", name, *port.route),
        f"port {number} is used twice on {view.host}: by {who}{more}",
        "value" if port.route else "key",
        arithmetic=(f"{owner}: {number} for {other.use}", f"{name}: {number} for {port.use}"),
        help=help_,
        based_on=(f"the flags and defaults of {who}",),
        related=((("services", owner, *other.route), f"{owner}, {other.use}"),),
    )


class _Free:
    """Ports that nobody listens on. What has been proposed is taken: all that is said can be done together."""

    def __init__(self, owned: dict[Owner, list[int]]) -> None:
        self._owned = owned
        self._taken = {number for numbers in owned.values() for number in numbers}
        self._proposed: dict[Owner, int | None] = {}

    def instead_of(self, owner: Owner) -> int | None:
        """A first port for `owner` with which all that follows from it is free too."""
        if owner in self._proposed:
            return self._proposed[owner]
        first = self._owned[owner][0]
        offsets = [number - first for number in self._owned[owner]]
        above = max(first - first % 100 + 100, _FIRST)
        tried = chain(range(above, _LAST, 100), range(_FIRST, min(above, _LAST), 100))
        found = next((start for start in tried if self._is_free(start, offsets)), None)
        if found is not None:
            self._taken.update(found + offset for offset in offsets)
        self._proposed[owner] = found
        return found

    def _is_free(self, start: int, offsets: list[int]) -> bool:
        return all(start + each not in self._taken and 0 < start + each < 65_536 for each in offsets)


def _help(service: ServiceView, port: Port, free: int | None) -> str:
    """What to write for `service`. It is named: the flag may stand in the defaults of several."""
    if free is None:
        return f"give {service.name} another port"
    if port.key is not None:
        return f"write another port into `{port.key}` of {service.name}, such as {free}"
    args, value, nodes = arguments(service), str(free), ""
    if port.flag == "dist-init-addr" and args is not None:
        value = re.sub(r"\d+\Z", value, args.text(port.flag) or "")
        nodes = ", and on its other nodes" if (args.integer("nnodes") or 1) > 1 else ""
    return f"write `{port.route[-1] if port.route else port.flag}: {value}` in the flags of {service.name}{nodes}"
