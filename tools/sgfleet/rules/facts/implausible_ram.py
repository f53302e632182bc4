"""RAM, a part of it or a bound on it that cannot be.

## What it does

Holds the sizes under `memory`, `numa` and `limits` against what a host has: with GPUs no less than 1 GiB of RAM, nor
less than 1/256 of its GPUs' memory; without, no less than 64 MiB; never more than 128 TiB. NUMA nodes together have no
more than the host. A huge page has a size that there is, or at least a power of two above 4,096 bytes. What a machine
could say of itself, such as little RAM that is available or a small bound on locked memory, is a warning.

## Why

Whoever writes facts by hand writes GiB, or the kB of /proc/meminfo. Every budget of host pools starts from these
figures: with one of them wrong, a pool that fits is refused, or one that does not fit is let through.

## Bad

```yaml
host: example-01
services:
  chat: {}
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068}
memory: {total-bytes: 540, available-bytes: 528}
```

## Good

```yaml
host: example-01
services:
  chat: {}
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068}
memory: {total-bytes: 579820584960, available-bytes: 566935683072}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.findings import Severity
from sgfleet.memory.plausible import BYTES, LEAST_BYTES, MOST_BYTES, least_ram_bytes, meant
from sgfleet.memory.units import GIB, MIB, gib
from sgfleet.rules.facts._units import instead
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sgfleet.rules.rule import HostView, Route
    from sgfleet.spec.models.facts import Facts

RULE = Rule("FCT010", "implausible-ram", Severity.ERROR, "host")

_USUAL_BYTES: Final = 2**43
"""8 TiB: what a figure in another unit is taken to mean is a usual machine's."""
_PAGES: Final = frozenset({64 * 1024, 2 * MIB, 16 * MIB, 32 * MIB, 512 * MIB, GIB, 16 * GIB})
"""Sizes of huge pages on the processors that GPUs are found beside (Linux, mm/hugetlb: x86, ARM, POWER)."""
_PAGE_BYTES: Final = 4096
_DEFAULT_MEMLOCK_BYTES: Final = 64 * 1024
"""The smallest bound on locked memory that any kernel of the last ten years sets by itself."""
_LOCKED: Final = (("kB", 1024), *BYTES)
"""What `ulimit -l` prints, first."""
_MORE: Final = 1.1
"""GB for GiB make a difference of 7 %."""
_UNIT: Final = 500
"""Such a difference is a unit's; containers that see a smaller share of the nodes are not known."""


class _Host(NamedTuple):
    """What sizes are held against. `total` is None where it is not known, or cannot be."""

    name: str
    least: int
    total: int | None

    def ram(self, size: float) -> bool:
        """Whether a size may be the RAM of this host: what a figure in another unit is taken for."""
        if self.total is not None:
            return self.total / 8 <= size <= self.total
        return max(4 * GIB, 16 * self.least) <= size <= _USUAL_BYTES


class _Part(NamedTuple):
    """One of so many NUMA nodes."""

    host: _Host
    nodes: int

    def fits(self, size: float) -> bool:
        """Whether all of this size would be the RAM of the host."""
        whole = size * self.nodes
        total = self.host.total
        return total / 8 <= whole <= total * _MORE if total is not None else self.host.ram(whole)


def check(view: HostView) -> Iterator[Problem]:
    """Figures in another unit, and parts that are more than the whole."""
    facts = view.facts
    if facts is None:
        return
    least = least_ram_bytes(gpu.memory_mib for gpu in facts.gpus or ())
    total = facts.memory.total_bytes
    host = _Host(view.host, least, total if total is not None and least <= total <= MOST_BYTES else None)
    yield from _memory(host, facts)
    yield from _nodes(host, facts)
    yield from _limits(host, facts)


def _memory(host: _Host, facts: Facts) -> Iterator[Problem]:
    memory, name = facts.memory, host.name
    if memory.total_bytes is not None and host.total is None:
        whom = "a host with such GPUs" if facts.gpus else "any host"
        much = f"less than {whom} has" if memory.total_bytes < host.least else "more than any host has"
        said = f"{name} is said to have {memory.total_bytes:,} bytes of RAM, {much}"
        yield _problem(host, ("memory", "total-bytes"), memory.total_bytes, said, _meminfo("MemTotal"))
    available = memory.available_bytes
    if available is not None and not host.least <= available <= MOST_BYTES:
        said = f"{available:,} bytes of RAM are said to be available on {name} with no service running"
        source = _meminfo("MemAvailable") + ", with the services stopped"
        sure = not LEAST_BYTES <= available <= MOST_BYTES
        yield _problem(host, ("memory", "available-bytes"), available, said, source, sure=sure)
    swap = memory.swap_total_bytes
    if swap is not None and (0 < swap < MIB or swap > MOST_BYTES):
        said = f"{name} is said to have {swap:,} bytes of swap"
        source = _meminfo("SwapTotal")
        yield _problem(host, ("memory", "swap-total-bytes"), swap, said, source, _may_be_swap)
    page = memory.hugepage_bytes
    if page and page not in _PAGES and (meant(page, BYTES, _is_page) is not None or not _may_be_page(page)):
        said = f"huge pages of {name} are said to have {page:,} bytes, and there are none of that size"
        yield _problem(host, ("memory", "hugepage-bytes"), page, said, _meminfo("Hugepagesize"), _is_page)


def _nodes(host: _Host, facts: Facts) -> Iterator[Problem]:
    sizes = [(at, node.node, node.total_bytes) for at, node in enumerate(facts.numa or ()) if node.total_bytes]
    together = sum(size for _, _, size in sizes)
    sums = f"{' + '.join(gib(size) for _, _, size in sizes)} = {gib(together)}"
    of_all = host.total is not None and len(sizes) == len(facts.numa or ())
    in_kb = of_all and host.total is not None and host.total / 2 <= together * 1024 <= host.total * _MORE
    for at, number, size in sizes:
        if size < MIB or in_kb:
            said = f"NUMA node {number} of {host.name} is said to have {size:,} bytes of RAM"
            source = f"MemTotal of /sys/devices/system/node/node{number}/meminfo, times 1024"
            problem = _problem(host, ("numa", at, "total-bytes"), size, said, source, _Part(host, len(sizes)).fits)
            yield problem._replace(arithmetic=(sums,) if in_kb else ())
    if host.total is not None and together > host.total * _MORE:
        yield Problem(
            ("facts", "numa"),
            f"the NUMA nodes of {host.name} have {gib(together)} together, more than its RAM, {gib(host.total)}",
            "key",
            arithmetic=(sums,),
            help="write total-bytes of each node as its meminfo under /sys/devices/system/node says it, in bytes;"
            " `sgfleet facts` on the host reads both. In a container that is shown a share of the RAM, leave numa out",
            based_on=(f"hosts/{host.name}/facts.yaml memory, numa",),
            severity=None if together > host.total * _UNIT else Severity.WARNING,
        )


def _limits(host: _Host, facts: Facts) -> Iterator[Problem]:
    bound, locked = facts.limits.memory_bytes, facts.limits.memlock_bytes
    if isinstance(bound, int) and bound < host.least:
        said = f"control groups are said to leave a service of {host.name} {bound:,} bytes of RAM"
        source = "memory.max of the control group, or infinity"
        yield _problem(host, ("limits", "memory-bytes"), bound, said, source, sure=bound < LEAST_BYTES)
    if isinstance(locked, int) and 0 < locked < _DEFAULT_MEMLOCK_BYTES:
        said = f"services of {host.name} may lock {locked:,} bytes, it is said: less than by any kernel's default"
        source = "what `systemctl show --property=DefaultLimitMEMLOCK` says"
        sure = locked < _PAGE_BYTES
        problem = _problem(host, ("limits", "memlock-bytes"), locked, said, source, sure=sure)
        found = meant(locked, _LOCKED, _may_be_locked)
        yield problem._replace(help=instead("memlock-bytes", locked, "bytes", found, source))


def _problem(
    host: _Host,
    route: Route,
    written: int,
    said: str,
    source: str,
    fits: Callable[[float], bool] | None = None,
    *,
    sure: bool = True,
) -> Problem:
    return Problem(
        ("facts", *route),
        said,
        help=instead(str(route[-1]), written, "bytes", meant(written, BYTES, fits or host.ram), source),
        based_on=(f"hosts/{host.name}/facts.yaml {route[0]}",),
        severity=None if sure else Severity.WARNING,
    )


def _meminfo(key: str) -> str:
    return f"{key} of /proc/meminfo, times 1024"


def _is_page(size: float) -> bool:
    return size in _PAGES


def _may_be_page(size: int) -> bool:
    """Whether a huge page of this size may come to be: a power of two beyond the smallest page."""
    return size > _PAGE_BYTES and size & (size - 1) == 0


def _may_be_swap(size: float) -> bool:
    return 64 * MIB <= size <= _USUAL_BYTES


def _may_be_locked(size: float) -> bool:
    return _DEFAULT_MEMLOCK_BYTES <= size <= _USUAL_BYTES
