"""Figures of a start that no start on this host can have.

## What it does

Holds what is `observed` of each service against the host: no figure in GiB is more than a GPU has, no host pool more
than the RAM, no load takes a day, and a KV token takes between 16 bytes and 64 MiB. Far beyond it is an error; what
another card could have had, or all ranks together, is a warning. A load is not said to have taken less than what it
took at least.

## Why

From the first observed start on, budgets stand on these figures and on nothing else. The engine's log says GB for GiB,
and whoever copies from it by hand writes MiB, milliseconds, or the sum over all ranks.

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
memory: {}
observed:
  chat: {release: "0.5.9", kv-pool-gib: 10670.0}
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
memory: {}
observed:
  chat: {release: "0.5.9", kv-pool-gib: 10.42}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import HostView
    from sgfleet.spec.models.facts import Facts, Observation

RULE = Rule("FCT013", "implausible-observation", Severity.ERROR, "host")

_MOST_GPU_GIB: Final = 1024.0
_MOST_HOST_GB: Final = 2**47 / 1e9
_ROUNDED: Final = 1.02
_SURELY: Final = 4
"""No other card, and no eight ranks on one, make such a difference and look like a figure in another unit."""
_DAY_SECONDS: Final = 86_400
_TOKEN_BYTES: Final = (16, 64 * 2**20)
_GIB: Final = (("MiB", 1 / 1024), ("bytes", 1 / 2**30))
_GB: Final = (("MB", 1 / 1000), ("bytes", 1 / 1e9))
_SECONDS: Final = (("ms", 1 / 1000),)
_TOKENS: Final = (("thousand tokens", 1000.0), ("million tokens", 1e6))


class _Bound(NamedTuple):
    """The most that a figure may be, what has so much, its unit, and what people write instead."""

    most: float
    has: str
    unit: str
    units: tuple[tuple[str, float], ...]
    rough: bool = True
    """Whether a figure just beyond it may be of another machine or of all ranks: a warning then."""


def check(view: HostView) -> Iterator[Problem]:
    """Figures in other units, and those of another machine."""
    facts = view.facts
    if facts is None or not facts.observed:
        return
    gpu, ram = _gpu(facts), _ram(facts)
    for service, seen in facts.observed.items():
        basis = (f"hosts/{view.host}/facts.yaml observed",)
        beyond = False
        for name, figure in vars(seen).items():
            bound = gpu if "_gib" in name else ram if name == "host_pool_gb" else _LOAD if "_seconds" in name else None
            if bound is None or figure is None or figure <= bound.most:
                continue
            beyond = True
            key = name.replace("_", "-")
            sure, help_ = _instead(key, figure, bound)
            yield Problem(
                ("facts", "observed", service, key),
                f"{key} of {service} on {view.host} is said to be {figure:,} {bound.unit}, and {bound.has}",
                help=help_,
                based_on=basis,
                severity=None if sure else Severity.WARNING,
            )
        if (problem := _load(view.host, service, seen, basis)) is not None:
            yield problem
        if not beyond and (problem := _tokens(view.host, service, seen, basis)) is not None:
            yield problem


_LOAD: Final = _Bound(_DAY_SECONDS, "no load takes a day", "s", _SECONDS, rough=False)


def _gpu(facts: Facts) -> _Bound:
    sizes = [gpu.memory_mib for gpu in facts.gpus or () if gpu.memory_mib is not None]
    if not sizes:
        return _Bound(_MOST_GPU_GIB, "no GPU has so much", "GiB", _GIB)
    most = max(sizes) / 1024
    return _Bound(most * _ROUNDED, f"a GPU of this host has {most:,.2f} GiB", "GiB", _GIB)


def _ram(facts: Facts) -> _Bound:
    from sgfleet.memory.plausible import MOST_BYTES, least_ram_bytes

    total = facts.memory.total_bytes
    least = least_ram_bytes(gpu.memory_mib for gpu in facts.gpus or ())
    if total is None or not least <= total <= MOST_BYTES:
        return _Bound(_MOST_HOST_GB, "no host has so much", "GB", _GB)
    return _Bound(total / 1e9 * _ROUNDED, f"this host has {total / 1e9:,.0f} GB of RAM", "GB", _GB)


def _instead(key: str, figure: float, bound: _Bound) -> tuple[bool, str]:
    """Whether it is surely a slip, and what to write."""
    from sgfleet.memory.plausible import meant

    found = meant(figure, bound.units, lambda value: bound.most / 10_000 <= value <= bound.most)
    again = "what `sgfleet observe` reads from the start's log"
    if found is not None and (not bound.rough or figure > bound.most * _SURELY):
        unit, value = found
        shown = f"{value:.0f}" if bound.unit == "s" else f"{value:.2f}"
        return True, f"{figure:,} {unit}? The unit here is {bound.unit}: write {key}: {shown}, or {again}"
    if not bound.rough:
        return True, f"write {again}"
    return False, f"write {again}: the figure of one rank, of a start on the GPUs and the RAM that are here now"


def _load(host: str, service: str, seen: Observation, basis: tuple[str, ...]) -> Problem | None:
    """Two figures for one load that contradict each other."""
    took, least = seen.load_seconds, seen.load_seconds_at_least
    if took is None or least is None or took >= least or least > _DAY_SECONDS:
        return None
    return Problem(
        ("facts", "observed", service, "load-seconds"),
        f"the load of {service} on {host} is said to have taken {took:,} s, and {least:,} s at least",
        help="write load-seconds alone where the log has the first line of the start and the one that says that the"
        " server is ready, and load-seconds-at-least alone where it has not; `sgfleet observe` reads them",
        based_on=basis,
        severity=Severity.WARNING,
    )


def _tokens(host: str, service: str, seen: Observation, basis: tuple[str, ...]) -> Problem | None:
    """A KV pool that has surely not so many tokens."""
    if not seen.kv_tokens or not seen.kv_pool_gib:
        return None
    pool = seen.kv_pool_gib * 2**30
    least, most = _TOKEN_BYTES
    if least <= pool / seen.kv_tokens <= most:
        return None
    from sgfleet.memory.plausible import meant

    found = meant(seen.kv_tokens, _TOKENS, lambda tokens: least <= pool / tokens <= most)
    way = f"{seen.kv_tokens:,} {found[0]}? Write kv-tokens: {found[1]:.0f}, or " if found is not None else "write "
    return Problem(
        ("facts", "observed", service, "kv-tokens"),
        f"the KV pool of {service} on {host} is said to hold {seen.kv_tokens:,} tokens in {seen.kv_pool_gib:,} GiB",
        arithmetic=(f"{pool:,.0f} bytes / {seen.kv_tokens:,} tokens = {pool / seen.kv_tokens:,.1f} bytes a token",),
        help=f"{way}what the log calls max_total_num_tokens; `sgfleet observe` reads it",
        based_on=basis,
    )
