"""A flag that the release refuses without another one.

## What it does

Looks for the companions that releases ask for when they start: a folder for metrics files, the certificate with its
key, the scheduling policy that priorities work with, the buckets of a histogram.

## Why

The parser takes each flag alone. The server exits when it checks them together.

## Bad

```yaml
flags:
  export-metrics-to-file: true
```

## Good

```yaml
flags:
  export-metrics-to-file: true
  export-metrics-to-file-dir: /var/lib/sglang/metrics
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

RULE = Rule("CMB040", "needs-another-flag", Severity.ERROR, "service")

_KEY, _CERTIFICATE = "ssl-keyfile", "ssl-certfile"
_SCORING, _MULTIPLEX = "multi-item-scoring-delimiter", "enable-pdmux"


def _lacks(flag: str, needed: str, example: str, hook: str = "validation_hook", moved: str = "0.5.19") -> Row:
    return Row(
        flag,
        lambda args: bool(args.value(flag)) and not args.said(needed),
        f"{flag} needs {needed}",
        f"add `{needed}: {example}`",
        hook=hook,
        moved=moved,
    )


def _buckets(args: Arguments, flag: str) -> bool:
    value = args.value(flag)
    if not isinstance(value, list) or not value:
        return False
    kind, rest = value[0], value[1:]
    if kind == "custom" and args.release.version == "0.5.2":
        return True
    if kind == "tse":
        return len(rest) != 3 or not _numbers(rest)
    if kind == "default":
        return bool(rest)
    return kind != "custom" or not rest or not _numbers(rest) or len(set(map(float, rest))) != len(rest)


def _numbers(words: list[str]) -> bool:
    try:
        return all(float(word) >= 0 for word in words)
    except (TypeError, ValueError):
        return False


def _bucket_row(flag: str) -> Row:
    return Row(
        flag,
        lambda args: _buckets(args, flag),
        f"{flag} is no rule for buckets",
        'write ["default"], ["tse", middle, base, count] or ["custom", bound, ...], all as text',
        since="0.5.2",
    )


ROWS = (
    _lacks("export-metrics-to-file", "export-metrics-to-file-dir", "/var/lib/sglang/metrics"),
    Row("tokenizer-metrics-allowed-custom-labels",
        lambda args: bool(args.value("tokenizer-metrics-allowed-custom-labels"))
        and not args.value("tokenizer-metrics-custom-labels-header"),
        "tokenizer-metrics-allowed-custom-labels needs tokenizer-metrics-custom-labels-header",
        "add `tokenizer-metrics-custom-labels-header: x-custom-labels`"),
    _lacks(_KEY, _CERTIFICATE, "/etc/sglang/tls.crt", hook="serving_hook", moved="0.5.13"),
    _lacks(_CERTIFICATE, _KEY, "/etc/sglang/tls.key", hook="serving_hook", moved="0.5.13"),
    Row("ssl-keyfile-password", lambda args: not (args.said(_KEY) or args.said(_CERTIFICATE)),
        "ssl-keyfile-password needs ssl-keyfile and ssl-certfile", "add both, or remove it", hook="serving_hook"),
    Row("enable-ssl-refresh", lambda args: args.on("enable-ssl-refresh")
        and not (args.said(_KEY) and args.said(_CERTIFICATE)),
        "enable-ssl-refresh needs ssl-keyfile and ssl-certfile", "add both, or remove it", hook="serving_hook"),
    Row("enable-priority-scheduling", lambda args: args.on("enable-priority-scheduling")
        and args.text("schedule-policy") not in (None, "fcfs", "lof"),
        lambda args: f"enable-priority-scheduling does not work with schedule-policy {args.text('schedule-policy')}",
        "write schedule-policy fcfs or lof", others=("schedule-policy",)),
    Row("retraction-policy", lambda args: args.text("retraction-policy") == "priority"
        and not args.on("enable-priority-scheduling"),
        "retraction-policy priority needs enable-priority-scheduling", "add `enable-priority-scheduling: true`"),
    Row(_SCORING, lambda args: args.value(_SCORING) is not None and not args.on("disable-radix-cache"),
        f"{_SCORING} needs disable-radix-cache",
        lambda args: without_radix_cache(
            args, *(() if args.integer("chunked-prefill-size") == -1 else ("chunked-prefill-size: -1",)))),
    Row(_SCORING, lambda args: args.value(_SCORING) is not None and args.on("disable-radix-cache")
        and args.integer("chunked-prefill-size") != -1,
        f"{_SCORING} needs chunked-prefill-size -1", "write `chunked-prefill-size: -1`"),
    Row(_MULTIPLEX, lambda args: args.on(_MULTIPLEX) and args.integer("chunked-prefill-size") != -1,
        f"{_MULTIPLEX} needs chunked-prefill-size -1", "write `chunked-prefill-size: -1`", since="0.5.3.post2"),
    Row(_MULTIPLEX, lambda args: args.on(_MULTIPLEX) and not args.on("disable-overlap-schedule")
        and (args.integer("pp-size") or 1) == 1,
        f"{_MULTIPLEX} needs disable-overlap-schedule", "add `disable-overlap-schedule: true`", since="0.5.3.post2"),
    Row("hicache-host-memory-mode", lambda args: args.on("enable-hierarchical-cache")
        and args.text("hicache-host-memory-mode") == "buffer_only" and not args.text("hicache-storage-backend"),
        "hicache-host-memory-mode buffer_only needs hicache-storage-backend", "add `hicache-storage-backend: file`",
        hook="hicache_hook"),
    Row("enable-http-worker-reuseport", lambda args: args.on("enable-http-worker-reuseport")
        and (args.integer("tokenizer-worker-num") or 1) == 1,
        "enable-http-worker-reuseport needs tokenizer-worker-num above 1", "add `tokenizer-worker-num: 4`",
        hook="serving_hook"),
    Row("flashinfer-a2a-dispatch-type", lambda args: args.text("moe-a2a-backend") != "flashinfer"
        and args.text("flashinfer-a2a-dispatch-type") not in (None, "auto"),
        "flashinfer-a2a-dispatch-type needs moe-a2a-backend flashinfer",
        "remove it: nothing else reads it", hook="moe_hook"),
    Row("speculative-draft-sink-size", lambda args: not args.said("speculative-draft-window-size"),
        "speculative-draft-sink-size needs speculative-draft-window-size", "add `speculative-draft-window-size: 4096`",
        hook="speculative_hook"),
    Row("kv-canary-sweep-interval", lambda args: (args.integer("kv-canary-sweep-interval") or 0) > 0
        and args.text("kv-canary") not in ("log", "raise"),
        "kv-canary-sweep-interval needs kv-canary log or raise", "add `kv-canary: log`"),
    _bucket_row("prompt-tokens-buckets"),
    _bucket_row("generation-tokens-buckets"),
)  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """What is missing beside a flag."""
    return judge(view, ROWS)
