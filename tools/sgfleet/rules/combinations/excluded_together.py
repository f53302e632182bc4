"""Two flags that the release refuses together.

## What it does

Looks for pairs that releases exclude when they start: two ways to batch the tokenizer, two caches behind the radix
cache, an API key with several tokenizer workers, mixed chunks with pipeline parallelism.

## Why

The parser takes each flag alone. The server exits when it checks them together, in each of its workers in the case of
the API key.

## Bad

```yaml
flags:
  enable-tokenizer-batch-encode: true
  enable-dynamic-batch-tokenizer: true
```

## Good

```yaml
flags:
  enable-dynamic-batch-tokenizer: true
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.combinations._rows import Row, judge
from sgfleet.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import Problem, ServiceView

RULE = Rule("CMB041", "excluded-together", Severity.ERROR, "service")

_HICACHE, _LMCACHE, _LINKER = "enable-hierarchical-cache", "enable-lmcache", "enable-unified-cache-external-linker"
_DETERMINISTIC = "enable-deterministic-inference"
_BACKENDS = {
    "0.5.3": ("flashinfer", "fa3", "triton"),
    "0.5.13": ("flashinfer", "fa3", "triton", "ascend"),
    "0.5.16": ("flashinfer", "fa3", "fa4", "triton", "ascend"),
    "0.5.19": ("flashinfer", "fa3", "fa4", "triton", "ascend", "intel_xpu"),
}
"""From which release on deterministic inference knows which attention backends."""


def _both(first: str, second: str, hook: str, since: str | None = None) -> Row:
    return Row(
        first,
        lambda args: args.on(first) and args.on(second),
        f"{first} and {second} exclude each other",
        f"keep one of {first} and {second}",
        since=since,
        others=(second,),
        hook=hook,
    )


def _deterministic() -> tuple[Row, ...]:
    starts = list(_BACKENDS)
    ends = {"0.5.3": "0.5.12.post1", "0.5.13": "0.5.15.post1", "0.5.16": "0.5.18", "0.5.19": None}
    return tuple(_deterministic_row(start, ends[start], _BACKENDS[start]) for start in starts)


def _deterministic_row(since: str, until: str | None, backends: tuple[str, ...]) -> Row:
    return Row(_DETERMINISTIC,
               lambda args: args.on(_DETERMINISTIC) and args.text("attention-backend") not in (None, *backends),
               lambda args: f"{_DETERMINISTIC} does not work with attention-backend {args.text('attention-backend')}",
               f"use one of {', '.join(backends)}", since=since, until=until, others=("attention-backend",),
               hook="attention_hook")  # fmt: skip


def _workers(args: Arguments) -> bool:
    return (args.integer("tokenizer-worker-num") or 1) > 1


ROWS = (
    _both("enable-tokenizer-batch-encode", "enable-dynamic-batch-tokenizer", "serving_hook"),
    _both(_LMCACHE, _HICACHE, "kv_cache_hook", "0.5.21"),
    _both(_LMCACHE, "disable-radix-cache", "kv_cache_hook", "0.5.21"),
    _both(_LINKER, _HICACHE, "hicache_hook"),
    _both("enable-int8-mamba-checkpoint", _HICACHE, "mamba_hook"),
    _both("enable-linear-replayssm-spec", "enable-linear-replayssm", "attention_hook"),
    _both("enable-gdn-replayssm-spec", "enable-linear-replayssm", "attention_hook"),
    _both("enable-prefill-context-parallel", "enable-nsa-prefill-context-parallel", "parallel_hook", "0.5.13"),
    Row("elastic-ep-backend", lambda args: args.text("elastic-ep-backend") is not None
        and (args.integer("pp-size") or 1) > 1, "elastic-ep-backend needs pp-size 1", "remove pp-size", since="0.5.11",
        others=("pp-size",), hook="parallel_hook"),
    Row(_LINKER, lambda args: args.on(_LINKER) and args.text("hicache-storage-backend") is not None,
        f"{_LINKER} and hicache-storage-backend exclude each other", "remove hicache-storage-backend",
        others=("hicache-storage-backend",), hook="hicache_hook"),
    Row("hicache-write-policy", lambda args: args.on(_HICACHE) and args.text("hicache-write-policy") == "write_back"
        and args.text("hicache-host-memory-mode") == "buffer_only" and args.text("hicache-storage-backend") is not None,
        "hicache-write-policy write_back does not work with hicache-host-memory-mode buffer_only",
        "write write_through", until="0.5.21", others=("hicache-host-memory-mode",), hook="hicache_hook"),
    Row("enable-mixed-chunk", lambda args: args.on("enable-mixed-chunk") and (args.integer("pp-size") or 1) > 1,
        lambda args: f"enable-mixed-chunk and pp-size {args.integer('pp-size')} exclude each other",
        "remove enable-mixed-chunk", until="0.5.10.post1", others=("pp-size",)),
    Row("api-key", _workers, "api-key does not work with several tokenizer workers: each of them exits",
        "write `tokenizer-worker-num: 1`, or put a proxy that checks the key in front", since="0.5.2",
        others=("tokenizer-worker-num",)),
    Row("grpc-port", lambda args: args.said("api-key") is not None or args.said("admin-api-key") is not None,
        "grpc-port and an API key exclude each other: gRPC would not check the key", "remove grpc-port",
        since="0.5.16", others=("api-key", "admin-api-key"), hook="serving_hook"),
    Row("grpc-port", _workers, "grpc-port does not work with several tokenizer workers",
        "write `tokenizer-worker-num: 1`", since="0.5.16", others=("tokenizer-worker-num",), hook="serving_hook"),
    Row("enable-http2", lambda args: args.on("enable-http2") and _workers(args),
        "enable-http2 does not work with several tokenizer workers", "write `tokenizer-worker-num: 1`",
        until="0.5.13.post1", others=("tokenizer-worker-num",), hook="serving_hook"),
    *_deterministic(),
)  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """Pairs that exclude each other."""
    return judge(view, ROWS)
