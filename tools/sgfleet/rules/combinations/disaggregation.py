"""Prefill and decode servers with flags of the other side, or without what their side needs.

## What it does

Holds the flags of disaggregation against `disaggregation-mode`, and those of encoder disaggregation against each
other.

## Why

SGLang exits when it resolves its arguments.

## Bad

```yaml
flags:
  disaggregation-decode-enable-offload-kvcache: true
```

## Good

```yaml
flags:
  disaggregation-mode: decode
  disaggregation-decode-enable-offload-kvcache: true
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import between
from sgfleet.rules.combinations._rows import Row, judge
from sgfleet.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import Problem, ServiceView

RULE = Rule("CMB032", "disaggregation", Severity.ERROR, "service")

_OFFLOAD = "disaggregation-decode-enable-offload-kvcache"
_DECODE_TP, _DECODE_DP = "disaggregation-decode-tp", "disaggregation-decode-dp"


def _mode(args: Arguments) -> str | None:
    return args.text("disaggregation-mode")


def _split(args: Arguments) -> bool:
    tp, other = args.integer("tp-size"), args.integer(_DECODE_TP)
    if _mode(args) != "prefill" or not tp or not other or tp < 1 or other < 1:
        return False
    return max(tp, other) % min(tp, other) != 0


def _decode_help(args: Arguments) -> str:
    stores = between(args.release.version, "0.5.10") and not args.text("hicache-storage-backend")
    return (
        "add `disaggregation-mode: decode`"
        + (" and `hicache-storage-backend: file`" if stores else "")
        + ", or remove it"
    )


ROWS = (
    Row(_OFFLOAD, lambda args: args.on(_OFFLOAD) and _mode(args) != "decode",
        f"{_OFFLOAD} is for disaggregation-mode decode", _decode_help,
        hook="kv_cache_hook"),
    Row(_OFFLOAD, lambda args: args.on(_OFFLOAD) and _mode(args) == "decode"
        and not args.text("hicache-storage-backend"),
        f"{_OFFLOAD} needs hicache-storage-backend", "add `hicache-storage-backend: file`", since="0.5.10",
        hook="kv_cache_hook"),
    Row("disaggregation-decode-retraction-backup",
        lambda args: args.text("disaggregation-decode-retraction-backup") == "host_pool" and _mode(args) != "decode",
        "disaggregation-decode-retraction-backup host_pool is for disaggregation-mode decode",
        "add `disaggregation-mode: decode`, or remove it", hook="kv_cache_hook"),
    Row("disaggregation-decode-enable-radix-cache", lambda args: args.on("disaggregation-decode-enable-radix-cache")
        and _mode(args) == "decode" and args.text("disaggregation-transfer-backend") != "nixl",
        "disaggregation-decode-enable-radix-cache needs disaggregation-transfer-backend nixl in SGLang {release}",
        "add `disaggregation-transfer-backend: nixl`", until="0.5.11"),
    Row("disaggregation-transfer-backend", lambda args: _mode(args) == "prefill"
        and args.text("disaggregation-transfer-backend") == "fake",
        "the fake transfer backend is for decode servers", "use mooncake or nixl", since="0.5.10",
        hook="pd_disaggregation_hook"),
    Row(_DECODE_TP, _split, "one of tp-size and disaggregation-decode-tp must be a multiple of the other",
        "write sizes whose division leaves no rest", others=("tp-size",),
        sums=lambda args: f"tp-size {args.integer('tp-size')}, {_DECODE_TP} {args.integer(_DECODE_TP)}"),
    Row(_DECODE_TP, lambda args: _mode(args) == "decode", f"{_DECODE_TP} is for prefill servers", "remove it"),
    Row(_DECODE_DP, lambda args: _mode(args) == "decode", f"{_DECODE_DP} is for prefill servers", "remove it"),
    Row("hicache-host-memory-mode", lambda args: args.on("enable-hierarchical-cache") and _mode(args) == "decode"
        and args.text("hicache-host-memory-mode") == "buffer_only",
        "hicache-host-memory-mode buffer_only is not for decode servers", "write cache", hook="hicache_hook"),
    Row("encoder-only", lambda args: args.on("encoder-only") and args.on("language-only"),
        "encoder-only and language-only exclude each other", "keep one", others=("language-only",),
        hook="pd_disaggregation_hook"),
    Row("encoder-only", lambda args: args.on("encoder-only") and _mode(args) in ("prefill", "decode"),
        lambda args: f"encoder-only and disaggregation-mode {_mode(args)} exclude each other", "remove one",
        others=("disaggregation-mode",), hook="pd_disaggregation_hook"),
    Row("language-only", lambda args: args.on("language-only") and not args.on("encoder-only")
        and not args.value("encoder-urls"),
        "language-only needs encoder-urls", "add `encoder-urls: [URL]`", until="0.5.12.post1"),
    Row("enable-prefix-mm-cache", lambda args: args.on("enable-prefix-mm-cache") and not args.on("encoder-only"),
        "enable-prefix-mm-cache needs encoder-only", "remove it, or add `encoder-only: true`",
        hook="pd_disaggregation_hook"),
)  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """Flags of the wrong side."""
    return judge(view, ROWS)
