"""LoRA flags that are not enough, or contradict each other or the caches.

## What it does

Looks whether LoRA that is turned on has adapters or a shape to allocate for, whether the numbers of adapters fit each
other, and, up to 0.4.10.post2, whether the caches that LoRA could not work with yet are off.

## Why

SGLang exits with an AssertionError when it starts.

## Bad

```yaml
flags:
  enable-lora: true
```

## Good

```yaml
flags:
  enable-lora: true
  lora-paths: [sql=/srv/models/sql-adapter]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.combinations._rows import Row, judge, without_radix_cache
from sgfleet.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import Problem, ServiceView

RULE = Rule("CMB030", "lora", Severity.ERROR, "service")

_BATCH, _LOADED = "max-loras-per-batch", "max-loaded-loras"


def _paths(args: Arguments) -> int:
    value = args.value("lora-paths")
    return len(value) if isinstance(value, list | dict) else 0


def _on(args: Arguments) -> bool:
    return args.on("enable-lora") or (args.value("enable-lora") is None and _paths(args) > 0)


def _shapeless(args: Arguments) -> bool:
    return _on(args) and _paths(args) == 0 and not (args.value("max-lora-rank") and args.value("lora-target-modules"))


def _modules(args: Arguments) -> bool:
    value = args.value("lora-target-modules")
    return _on(args) and isinstance(value, list) and "all" in value and len(value) > 1


def _few(args: Arguments) -> bool:
    loaded, batch = args.integer(_LOADED), args.integer(_BATCH)
    return _on(args) and loaded is not None and batch is not None and loaded < batch


def _crowded(args: Arguments) -> bool:
    loaded = args.integer(_LOADED)
    return _on(args) and loaded is not None and _paths(args) > loaded


def _overlap(args: Arguments) -> bool:
    loaded, batch = args.integer(_LOADED), args.integer(_BATCH)
    return _on(args) and args.on("enable-lora-overlap-loading") and (loaded is None or loaded > 2 * (batch or 8))


def _least(args: Arguments) -> str:
    return f"write at least {max(args.integer(_BATCH) or 1, _paths(args))}"


def _overlap_help(args: Arguments) -> str:
    """Twice the batch, where that has room for every adapter; else a batch of half of them."""
    batch = args.integer(_BATCH) or 8
    if _paths(args) <= 2 * batch:
        return f"write `{_LOADED}: {2 * batch}`"
    half = -(-_paths(args) // 2)
    return f"write `{_BATCH}: {half}` and `{_LOADED}: {2 * half}`"


def _caches(args: Arguments) -> bool:
    return _paths(args) > 0 and not (args.on("disable-radix-cache") and args.on("disable-cuda-graph"))


ROWS = (
    Row("lora-paths", _caches, "LoRA does not work with CUDA graphs and the radix cache in SGLang {release}",
        lambda args: without_radix_cache(args, "disable-cuda-graph: true"), until="0.4.6.post1"),
    Row("lora-paths", lambda args: _paths(args) > 0 and not args.on("disable-radix-cache"),
        "LoRA does not work with the radix cache in SGLang {release}", without_radix_cache,
        since="0.4.6.post2", until="0.4.10.post2"),
    Row("enable-lora", _shapeless, "enable-lora needs lora-paths, or max-lora-rank and lora-target-modules",
        "add `lora-paths: [NAME=PATH]`", hook="lora_hook"),
    Row("lora-target-modules", _modules, "lora-target-modules has all beside others", "write [all]", hook="lora_hook"),
    Row(_LOADED, _few, "max-loaded-loras is less than max-loras-per-batch",
        _least, since="0.4.10.post2", others=(_BATCH,), hook="lora_hook",
        sums=lambda args: f"{_LOADED} {args.integer(_LOADED)} < {_BATCH} {args.integer(_BATCH)}"),
    Row(_LOADED, _crowded, "max-loaded-loras is less than the adapters in lora-paths",
        _least, since="0.5.1", others=("lora-paths",), hook="lora_hook",
        sums=lambda args: f"{_paths(args)} adapters > {_LOADED} {args.integer(_LOADED)}"),
    Row("enable-lora-overlap-loading", _overlap,
        "enable-lora-overlap-loading needs max-loaded-loras of at most twice max-loras-per-batch",
        _overlap_help, others=(_LOADED, _BATCH), hook="lora_hook"),
)  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """Adapters that cannot be served."""
    return judge(view, ROWS)
