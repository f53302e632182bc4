"""A memory layout of the host pool that the release refuses or replaces.

## What it does

Holds `hicache-mem-layout` against `hicache-io-backend` and `hicache-storage-backend`. A layout that the release
refuses is an error; one that it replaces by another is a warning that names the other.

## Why

Mooncake stores pages: with `layer_first` it fails, or SGLang switches the layout. Direct I/O copies whole pages, and
the layouts that it can copy changed in 0.5.3 and 0.5.10. What a spec says should be what runs.

## Bad

```yaml
flags:
  enable-hierarchical-cache: true
  hicache-storage-backend: mooncake
  hicache-mem-layout: layer_first
```

## Good

```yaml
flags:
  enable-hierarchical-cache: true
  hicache-storage-backend: mooncake
  hicache-mem-layout: page_first
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.combinations._rows import Row, host_pool, judge
from sgfleet.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import Problem, ServiceView

RULE = Rule("CMB006", "hicache-layout", Severity.WARNING, "service")

_LAYOUT, _IO, _STORE = "hicache-mem-layout", "hicache-io-backend", "hicache-storage-backend"


def _holds(args: Arguments, layout: str, io: str | None, store: str | None) -> bool:
    return (
        host_pool(args)  # without a pool the layout has no effect, which CMB044 says
        and args.text(_LAYOUT) == layout
        and (io is None or args.text(_IO) == io)
        and (store is None or args.text(_STORE) == store)
    )


ROWS = (
    Row(_LAYOUT, lambda args: _holds(args, "layer_first", None, "mooncake"),
        "mooncake takes no layer_first: it stores pages", "write page_first",
        until="0.4.10.post2", others=(_STORE,), severity=Severity.ERROR),
    Row(_LAYOUT, lambda args: _holds(args, "layer_first", None, "mooncake"),
        "mooncake takes no layer_first: SGLang {release} switches to page_first and to the kernel I/O backend",
        "write page_first", since="0.5.1", until="0.5.2", others=(_STORE,)),
    Row(_LAYOUT, lambda args: _holds(args, "layer_first", "kernel", "mooncake"),
        "mooncake takes no layer_first: SGLang {release} switches to page_first", "write page_first",
        since="0.5.3", others=(_STORE,), hook="hicache_hook"),
    Row(_LAYOUT, lambda args: _holds(args, "layer_first", "direct", "mooncake"),
        "mooncake takes no layer_first: SGLang {release} switches to page_first_direct", "write page_first_direct",
        since="0.5.3", others=(_STORE,), hook="hicache_hook"),
    Row(_LAYOUT, lambda args: _holds(args, "page_first_direct", "kernel", None),
        "page_first_direct is for direct I/O: SGLang {release} switches the I/O backend from kernel to direct",
        f"write `{_IO}: direct`, or page_first", since="0.5.3", others=(_IO,), hook="hicache_hook"),
    Row(_LAYOUT, lambda args: _holds(args, "page_first", "direct", None),
        "direct I/O cannot copy page_first: SGLang {release} switches to page_first_direct",
        "write page_first_direct", since="0.5.10", others=(_IO,), hook="hicache_hook"),
)  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """Layouts that do not stay."""
    return judge(view, ROWS)
