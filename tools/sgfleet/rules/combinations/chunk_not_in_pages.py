"""A prefill chunk that is not made of whole pages.

## What it does

Holds `chunked-prefill-size`, divided by `dp-size` under data-parallel attention, against `page-size`. Where the chunk
is left to the release it is a power of two of at most 16,384 that depends on the GPU, so a `page-size` that is none,
or larger, cannot divide it.

## Why

The release asserts it at every start (from 0.4.4, page sizes being new there). A chunk that becomes 0 by the division
turns chunked prefill off without a word.

## Bad

```yaml
flags:
  page-size: 64
  chunked-prefill-size: 1000
```

## Good

```yaml
flags:
  page-size: 64
  chunked-prefill-size: 1024
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

RULE = Rule("CMB024", "chunk-not-in-pages", Severity.ERROR, "service")

_PAGE, _CHUNK = "page-size", "chunked-prefill-size"
_LARGEST_DEFAULT = 16_384
_OWN_PAGES = (
    "flashmla",
    "cutlass_mla",
    "trtllm_mla",
    "trtllm_mha",
    "fa4",
    "nsa",
    "dsa",
    "ascend",
    "intel_xpu",
    "aiter",
)
"""Attention backends that replace a page size which does not suit them."""


def _chunk(args: Arguments) -> int:
    """Tokens of a chunk on one attention rank; not positive where chunked prefill is off."""
    chunk = args.integer(_CHUNK) or 0
    return chunk // attention_dp(args) if chunk > 0 and between(args.release.version, "0.4.4.post1") else chunk


def _own_pages(args: Arguments) -> bool:
    names = ("attention-backend", "prefill-attention-backend", "decode-attention-backend")
    return any(args.text(name) in _OWN_PAGES for name in names)


def _decodes(args: Arguments) -> bool:
    return args.text("disaggregation-mode") == "decode" and between(args.release.version, "0.5.3")


def _rest(args: Arguments) -> bool:
    page = args.integer(_PAGE)
    if page is None or page < 1 or args.said(_CHUNK) is None or args.integer(_CHUNK) is None:
        return False
    chunk = _chunk(args) if between(args.release.version, "0.4.9.post4") else args.integer(_CHUNK) or 0
    off = chunk == 0 if between(args.release.version, None, "0.4.10.post2") else chunk <= 0
    return not off and not _decodes(args) and not _own_pages(args) and chunk % page != 0


def _no_default_fits(args: Arguments) -> bool:
    page = args.integer(_PAGE)
    if page is None or page < 1 or args.said(_CHUNK) is not None or _decodes(args) or _own_pages(args):
        return False
    return page > _LARGEST_DEFAULT or page & (page - 1) != 0


def _sums(args: Arguments) -> str:
    page, chunk, ways = args.integer(_PAGE) or 1, args.integer(_CHUNK) or 0, attention_dp(args)
    split = f"{_CHUNK} {chunk} ÷ {ways} attention groups = {_chunk(args)}; " if _chunk(args) != chunk else ""
    return f"{split}{_chunk(args)} ÷ {_PAGE} {page} leaves {_chunk(args) % page}"


def _no_multiple(args: Arguments) -> str:
    return f"chunked-prefill-size {args.integer(_CHUNK)} is not made of whole pages of {args.integer(_PAGE)} tokens"


def _help(args: Arguments) -> str:
    page, chunk = (args.integer(_PAGE) or 1) * attention_dp(args), args.integer(_CHUNK) or 0
    return f"write {_CHUNK} {max(chunk // page, 1) * page}"


ROWS = (
    Row(_CHUNK, _rest, _no_multiple, _help, others=(_PAGE,), sums=_sums),
    Row(_PAGE, _no_default_fits,
        lambda args: f"page-size {args.integer(_PAGE)} divides no chunk that the release would choose",
        "write a power of two such as 64, or give chunked-prefill-size as a multiple of it"),
    Row(_CHUNK, lambda args: (args.integer(_CHUNK) or 0) > 0 and _chunk(args) == 0,
        "chunked-prefill-size becomes 0, which turns chunked prefill off", _help, others=("dp-size",),
        sums=lambda args: f"{args.integer(_CHUNK)} ÷ {attention_dp(args)} attention groups = 0",
        severity=Severity.WARNING),
)  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """Chunks with a rest."""
    return judge(view, ROWS)
