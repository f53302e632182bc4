"""Parallel sizes that do not divide each other.

## What it does

Holds `ep-size`, `moe-dp-size` and the context-parallel size against `tp-size`, and all ranks against `nnodes`.

## Why

Each of them splits the ranks into groups of equal size. Where the division leaves a rest, the server fails: when it
resolves its arguments, or with a division by zero or a group of the wrong size when it starts its ranks.

## Bad

```yaml
flags:
  tp-size: 8
  ep-size: 3
```

## Good

```yaml
flags:
  tp-size: 8
  ep-size: 4
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

RULE = Rule("CMB021", "uneven-split", Severity.ERROR, "service")


def _product(args: Arguments, names: tuple[str, ...]) -> int | None:
    product = 1
    for name in names:
        size = args.integer(name) if args.has(name) else 1
        if size is None or size < 1:
            return None
        product *= size
    return product


def _rest(args: Arguments, whole: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    ranks, groups = _product(args, whole), _product(args, parts)
    return ranks is not None and groups is not None and ranks % groups != 0


def _line(args: Arguments, whole: tuple[str, ...], parts: tuple[str, ...]) -> str:
    ranks, groups = _product(args, whole) or 1, _product(args, parts) or 1
    return f"{_named(args, whole)} ÷ {_named(args, parts)} = {ranks // groups}, rest {ranks % groups}"


def _named(args: Arguments, names: tuple[str, ...]) -> str:
    """`tp-size 8 × pp-size 2`, without what is 1."""
    sizes = [f"{name} {args.integer(name)}" for name in names if args.has(name) and args.integer(name) != 1]
    return " × ".join(sizes) or f"{names[0]} 1"


def _split(flag: str, whole: tuple[str, ...], parts: tuple[str, ...], since: str | None, hook: str) -> Row:
    return Row(
        flag,
        lambda args: _rest(args, whole, parts),
        lambda args: f"{_named(args, parts)} does not divide {_named(args, whole)}",
        "write sizes whose division leaves no rest",
        since=since,
        others=(*whole, *parts),
        sums=lambda args: _line(args, whole, parts),
        hook=hook,
    )


def _forced(args: Arguments) -> bool:
    """Whether the release sets ep-size itself, so that what is given does not count."""
    return args.text("moe-a2a-backend") not in (None, "none")


ROWS = (
    _split("nnodes", ("tp-size", "pp-size"), ("nnodes",), None, "validation_hook"),
    Row("ep-size", lambda args: not _forced(args) and _rest(args, ("tp-size",), ("ep-size",)),
        lambda args: f"ep-size {args.integer('ep-size')} does not divide tp-size {args.integer('tp-size')}",
        "write sizes whose division leaves no rest", since="0.4.10", others=("tp-size",),
        sums=lambda args: _line(args, ("tp-size",), ("ep-size",)), hook="parallel_hook"),
    _split("attention-context-parallel-size", ("tp-size",), ("attention-context-parallel-size",), "0.5.9",
           "parallel_hook"),
    _split("moe-data-parallel-size", ("tp-size",), ("moe-data-parallel-size",), "0.5.9", "parallel_hook"),
    Row("moe-data-parallel-size", lambda args: (args.integer("moe-data-parallel-size") or 1) > 1
        and args.integer("moe-data-parallel-size") != args.integer("attention-context-parallel-size"),
        "moe-data-parallel-size above 1 must be the context-parallel size",
        lambda args: f"write attention-context-parallel-size {args.integer('moe-data-parallel-size')} as well",
        since="0.5.11", others=("attention-context-parallel-size",), hook="parallel_hook"),
    Row("attention-context-parallel-size", lambda args: (args.integer("attention-context-parallel-size") or 1) > 1
        and (args.integer("pp-size") or 1) > 1, "context parallelism does not work with pp-size above 1 in 0.5.9",
        "remove one of them", since="0.5.9", until="0.5.9", others=("pp-size",)),
    Row("moe-data-parallel-size", lambda args: (_product(args, ("ep-size", "moe-data-parallel-size")) or 1)
        > (args.integer("tp-size") or 1), "ep-size × moe-dp-size is more than tp-size", "lower one of them",
        since="0.5.9", others=("ep-size", "tp-size"), hook="parallel_hook",
        sums=lambda args: f"ep-size {args.integer('ep-size')} × moe-dp-size {args.integer('moe-data-parallel-size')}"
        f" = {_product(args, ('ep-size', 'moe-data-parallel-size'))}, tp-size {args.integer('tp-size')}"),
)  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """Divisions with a rest."""
    return judge(view, ROWS)
