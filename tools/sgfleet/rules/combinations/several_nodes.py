"""A service on several hosts whose ranks cannot find each other.

## What it does

Where `nnodes` is above 1, looks for `dist-init-addr` with a host and a port, for a `node-rank` below `nnodes`, and
for data-parallel replicas, which do not work across hosts.

## Why

Every node must know where node 0 listens and which node it is. Without an address each of them waits for itself; with
a wrong number the group waits for a member that never comes. Neither says so.

## Bad

```yaml
flags:
  tp-size: 16
  nnodes: 2
  node-rank: 2
```

## Good

```yaml
flags:
  tp-size: 16
  nnodes: 2
  node-rank: 1
  dist-init-addr: 10.0.0.1:20000
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import between
from sgfleet.rules.combinations._rows import Row, judge
from sgfleet.rules.ranks import shares_ranks
from sgfleet.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import Problem, ServiceView

RULE = Rule("CMB023", "several-nodes", Severity.ERROR, "service")

_ADDRESS = re.compile(r"(?:tcp://)?(?:\[[0-9A-Fa-f:.%]+\]|[^\s:/\[\]]+):([0-9]{1,5})")


def _several(args: Arguments) -> bool:
    return (args.integer("nnodes") or 1) > 1


def _no_address(args: Arguments) -> bool:
    found = _ADDRESS.fullmatch(args.text("dist-init-addr") or "")
    return found is None or not 0 < int(found[1]) < 65_536


def _loopback(args: Arguments) -> bool:
    return re.match(r"(?:tcp://)?(?:localhost|127\.|\[::1\])", args.text("dist-init-addr") or "") is not None


def _ranks(nodes: int) -> str:
    return "0" if nodes == 1 else f"one of 0 to {nodes - 1}"


_ADDRESS_HELP = "add `dist-init-addr: HOST:PORT`, the address of node 0, the same on every node"

ROWS = (
    Row("nnodes", lambda args: _several(args) and args.said("dist-init-addr") is None,
        lambda args: f"nnodes {args.integer('nnodes')} needs dist-init-addr: the nodes do not find each other",
        _ADDRESS_HELP),
    Row("dist-init-addr", lambda args: args.text("dist-init-addr") is not None and _no_address(args),
        lambda args: f"dist-init-addr {args.text('dist-init-addr')!a} is no host and port", _ADDRESS_HELP),
    Row("dist-init-addr", lambda args: _several(args) and _loopback(args),
        "dist-init-addr names this host only: other nodes look for node 0 on themselves", _ADDRESS_HELP),
    Row("node-rank", lambda args: (args.integer("node-rank") or 0) >= (args.integer("nnodes") or 1) > 0,
        lambda args: f"node-rank {args.integer('node-rank')} is no node of {args.integer('nnodes')}",
        lambda args: f"write {_ranks(args.integer('nnodes') or 1)}, or more nnodes", others=("nnodes",)),
    Row("dp-size", lambda args: _several(args) and (args.integer("dp-size") or 1) > 1 and not shares_ranks(args),
        "dp-size above 1 does not work on several nodes",
        lambda args: "run a service on each host"
        + (", or use attention data parallelism" if between(args.release.version, "0.4.1.post7") else ""),
        others=("nnodes",)),
    Row("dp-size", lambda args: _several(args) and (args.integer("dp-size") or 1) > 1 and shares_ranks(args),
        "dp-size above 1 does not work on several nodes", "run a service on each host", until="0.4.1.post6",
        others=("nnodes",)),
)  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """Nodes that do not meet."""
    return judge(view, ROWS)
