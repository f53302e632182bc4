"""Data-parallel attention that does not divide the ranks, or has nothing to divide.

## What it does

Holds `enable-dp-attention` and `dp-size` (from 0.5.22 `attn-dp-size`) against `tp-size`, `enable-dp-lm-head` against
both, and `max-running-requests`, which is divided among the groups.

## Why

The attention ranks are split in `dp-size` groups of equal size. Where they do not divide, SGLang exits with an empty
AssertionError. With `dp-size` 1 it refused to start until 0.5.1.post3; since then it turns the flag off.

## Bad

```yaml
flags:
  tp-size: 8
  dp-size: 3
  enable-dp-attention: true
```

## Good

```yaml
flags:
  tp-size: 8
  dp-size: 4
  enable-dp-attention: true
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import between
from sgfleet.rules.combinations._rows import Row, attention_dp, judge
from sgfleet.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import Problem, ServiceView

RULE = Rule("CMB020", "attention-dp", Severity.ERROR, "service")

_FLAG, _WAYS, _NEW = "enable-dp-attention", "dp-size", "attn-dp-size"


def _uneven(args: Arguments, name: str) -> bool:
    tp, ways = args.integer("tp-size"), args.integer(name)
    return tp is not None and ways is not None and ways > 1 and tp > 0 and tp % ways != 0


def _sums(args: Arguments, name: str) -> str:
    tp, ways = args.integer("tp-size") or 1, args.integer(name) or 1
    return f"tp-size {tp} ÷ {name} {ways} = {tp // ways}, rest {tp % ways}"


def _undivided(args: Arguments, name: str) -> str:
    return f"{name} {args.integer(name)} does not divide tp-size {args.integer('tp-size')}"


def _fitting(args: Arguments) -> list[int]:
    """Ways above 1 that divide the ranks and leave a request to each: no row of this rule objects to them."""
    tp, requests = args.integer("tp-size") or 1, args.integer("max-running-requests") or 0
    most = min(tp, 1024) if args.said("max-running-requests") is None or requests < 1 else min(tp, 1024, requests)
    return [ways for ways in range(2, most + 1) if tp % ways == 0 and (ways == tp or not _all_ranks(args))]


def _all_ranks(args: Arguments) -> bool:
    """Whether the release splits all ranks, whatever `dp-size` is."""
    return between(args.release.version, None, "0.4.4")


def _divisors(args: Arguments, name: str) -> str:
    fitting = _fitting(args)
    if not fitting:
        return f"remove {' and '.join(each for each in (_FLAG, name) if args.said(each) is not None)}"
    values = ", ".join(map(str, fitting))
    return f"write {name} as one of {values}" if len(fitting) > 1 else f"write {name} {values}"


def _split(args: Arguments, flag: str) -> str:
    """What gives `flag` the attention data parallelism that it needs."""
    fitting, ways = _fitting(args), args.integer(_WAYS) or 1
    if ways in fitting:
        return f"add `{_FLAG}: true`"
    return f"add `{_FLAG}: true` and `{_WAYS}: {fitting[-1]}`" if fitting else f"remove {flag}"


def _alone(args: Arguments) -> bool:
    return args.on(_FLAG) and args.integer(_WAYS) == 1


ROWS = (
    Row(_FLAG, lambda args: args.on(_FLAG) and _uneven(args, _WAYS), lambda args: _undivided(args, _WAYS),
        lambda args: _divisors(args, _WAYS), since="0.4.4.post1", others=(_WAYS, "tp-size"),
        sums=lambda args: _sums(args, _WAYS), hook="parallel_hook"),
    Row(_NEW, lambda args: _uneven(args, _NEW), lambda args: _undivided(args, _NEW),
        lambda args: _divisors(args, _NEW), others=("tp-size",), sums=lambda args: _sums(args, _NEW),
        hook="parallel_hook"),
    Row(_NEW, lambda args: (args.integer(_NEW) or 1) > 1 and (args.integer(_WAYS) or 1) > 1,
        "attn-dp-size and dp-size above 1 exclude each other", "remove dp-size", others=(_WAYS,), hook="parallel_hook"),
    Row(_FLAG, _alone, "enable-dp-attention needs dp-size above 1", lambda args: _divisors(args, _WAYS),
        since="0.4.4.post1", until="0.5.1.post3"),
    Row(_FLAG, _alone, "enable-dp-attention has no effect with dp-size 1", lambda args: _divisors(args, _WAYS),
        since="0.5.2", hook="parallel_hook", severity=Severity.WARNING),
    Row(_FLAG, lambda args: args.said(_WAYS) is not None and args.integer(_WAYS) != args.integer("tp-size"),
        "dp-size is replaced by tp-size in SGLang {release}: enable-dp-attention splits all ranks",
        lambda args: f"write dp-size {args.integer('tp-size')}", until="0.4.4", others=(_WAYS,),
        severity=Severity.WARNING),
    Row("max-running-requests", lambda args: 0 < (args.integer("max-running-requests") or 0) < attention_dp(args),
        "max-running-requests leaves no request to each attention group",
        lambda args: f"write {attention_dp(args)} or more",
        since="0.4.1.post7", until="0.5.22", others=(_WAYS, _NEW), hook="kv_cache_hook",
        sums=lambda args: f"{args.integer('max-running-requests')} requests ÷ {attention_dp(args)} groups = 0"),
    Row("enable-dp-lm-head", lambda args: not args.on(_FLAG) and (args.integer(_NEW) or 1) == 1
        and (args.integer(_WAYS) or 1) > 1,
        "enable-dp-lm-head needs attention data parallelism", lambda args: _split(args, "enable-dp-lm-head"),
        since="0.5.3", hook="parallel_hook"),
    Row("enable-dp-lm-head", lambda args: not args.on(_FLAG), "enable-dp-lm-head needs enable-dp-attention",
        lambda args: _split(args, "enable-dp-lm-head"), until="0.5.2"),
)  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """Splits that do not come out even."""
    return judge(view, ROWS)
