"""A port below 1024 for a service that does not run as root.

## What it does

Compares `port` with 1024 where `user` is not root.

## Why

The kernel gives such ports to root alone (net.ipv4.ip_unprivileged_port_start, 1024 unless somebody changed it). The
server loads its weights and then cannot bind.

## Bad

```yaml
user: sglang
flags:
  port: 443
```

## Good

```yaml
user: sglang
flags:
  port: 30000
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("UNT012", "privileged-port", Severity.WARNING, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Ports that only root may bind."""
    args = arguments(view)
    if args is None or view.service.user == "root":
        return
    for name in ("port", "grpc-port"):
        given, port = args.said(name), args.integer(name)
        if given is not None and port is not None and 0 < port < 1024:
            yield Problem(
                given.route,
                f"{name} {port} is for root: {view.service.user} cannot bind it",
                help="write a port from 1024 on, and let a proxy listen below",
                based_on=("ip(7), ip_unprivileged_port_start",),
                related=((("user",), "the account"),),
            )
