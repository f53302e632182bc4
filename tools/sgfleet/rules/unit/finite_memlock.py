"""A limit on locked memory for a service that pins host memory.

## What it does

Finds a finite `limit-memlock` beside what pins or registers memory: the hierarchical cache, Mooncake or NIXL between
prefill and decode servers or as storage. Where `hicache-size` says how much a rank pins, it is compared.

## Why

A host pool is locked in RAM, and an RDMA device registers every byte that it may transfer. Past the limit the
registration fails ("Cannot allocate memory"), in some releases without a check of the return code. The limit holds
for each process, so for each rank.

## Bad

```yaml
flags:
  enable-hierarchical-cache: true
unit:
  limit-memlock: 64GiB
```

## Good

```yaml
flags:
  enable-hierarchical-cache: true
unit:
  limit-memlock: infinity
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.combinations._rows import host_pool
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import ServiceView

RULE = Rule("UNT005", "finite-memlock", Severity.WARNING, "service")

_RDMA = ("mooncake", "nixl")


def check(view: ServiceView) -> Iterator[Problem]:
    """A finite limit and something that pins."""
    limit = view.service.unit.limit_memlock
    args = arguments(view)
    if args is None or not isinstance(limit, int):
        return
    reason = _pins(args)
    if reason is None:
        return
    from sgfleet.spec.quantities import format_size

    name, why = reason
    pinned_bytes = (args.integer("hicache-size") or 0) * 10**9 if name == "enable-hierarchical-cache" else 0
    short = pinned_bytes >= limit
    yield Problem(
        ("unit", "limit-memlock"),
        f"limit-memlock {format_size(limit)} bounds what {why} may lock",
        arithmetic=(f"hicache-size {pinned_bytes // 10**9} GB a rank, the limit is {limit / 10**9:.1f} GB",)
        if short
        else (),
        help="write infinity",
        based_on=("systemd.exec(5), LimitMEMLOCK=",),
        related=((args.route(name), "what pins"),),
        severity=Severity.ERROR if short else None,
    )


def _pins(args: Arguments) -> tuple[str, str] | None:
    """The flag that pins memory, and in words what it pins."""
    if args.on("enable-hierarchical-cache"):
        return "enable-hierarchical-cache", "the host pool"
    for name, is_active in _REGISTERING.items():
        backend = args.text(name)
        if backend in _RDMA and is_active(args):
            return name, f"{backend} may register, and so"
    return None


def _disaggregated(args: Arguments) -> bool:
    return args.text("disaggregation-mode") in ("prefill", "decode")


_REGISTERING: Final[dict[str, Callable[[Arguments], bool]]] = {
    "hicache-storage-backend": host_pool,
    "disaggregation-transfer-backend": _disaggregated,
    "moe-a2a-backend": lambda _args: True,
    "elastic-ep-backend": lambda _args: True,
}
"""Flags that may name what registers memory -> whether anything makes use of it."""
