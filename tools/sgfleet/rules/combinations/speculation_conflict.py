"""Speculative decoding with something that it cannot work with.

## What it does

Holds `speculative-algorithm` against pipeline parallelism, attention data parallelism, the attention backend, the
page size, LoRA and the draft model that it needs, as the release does when it starts.

## Why

The parser knows nothing of it. The server exits when it resolves its arguments, with a message that names one of the
two.

## Bad

```yaml
flags:
  pp-size: 2
  speculative-algorithm: EAGLE
  speculative-draft-model-path: /srv/models/draft
```

## Good

```yaml
flags:
  tp-size: 2
  speculative-algorithm: EAGLE
  speculative-draft-model-path: /srv/models/draft
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments, between
from sgfleet.rules.combinations._rows import Row, attention_dp, judge, speculative
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import ServiceView

RULE = Rule("CMB011", "speculation-conflict", Severity.ERROR, "service")

_FLAG = "speculative-algorithm"
_EAGLES = ("EAGLE", "EAGLE3", "NEXTN", "STANDALONE")
_LORA = ("NGRAM", "EAGLE", "NEXTN", "EAGLE3", "DFLASH", "DSPARK")


def _pipeline(args: Arguments) -> bool:
    return speculative(args) is not None and (args.integer("pp-size") or 1) > 1


def _tree_pages(args: Arguments, backends: tuple[str, ...]) -> bool:
    """Top-k above 1 with pages of several tokens, on a given backend that cannot do both."""
    topk, page, backend = (
        args.integer("speculative-eagle-topk"),
        args.integer("page-size"),
        args.text("attention-backend"),
    )
    return (
        speculative(args) in _EAGLES
        and topk is not None
        and topk > 1
        and page is not None
        and page > 1
        and backend is not None
        and backend not in backends
    )


def _with_lora(args: Arguments, algorithms: tuple[str, ...]) -> bool:
    lora = args.on("enable-lora") or (args.value("enable-lora") is None and bool(args.value("lora-paths")))
    return lora and speculative(args) is not None and speculative(args) not in algorithms


def _undrafted(args: Arguments, algorithms: tuple[str, ...]) -> bool:
    return speculative(args) in algorithms and args.said("speculative-draft-model-path") is None


def _tree_row(backends: tuple[str, ...], since: str, until: str) -> Row:
    return Row(
        _FLAG,
        lambda args: _tree_pages(args, backends),
        "speculative-eagle-topk above 1 needs page-size 1 with this attention-backend",
        f"write speculative-eagle-topk 1, page-size 1, or attention-backend {' or '.join(backends)}",
        since=since,
        until=until,
        others=("speculative-eagle-topk", "page-size", "attention-backend"),
    )


ROWS = (
    Row(_FLAG, _pipeline, lambda args: f"{_FLAG} and pp-size {args.integer('pp-size')} exclude each other",
        "remove one of them", since="0.4.6.post2", until="0.5.20", others=("pp-size",)),
    Row(_FLAG, lambda args: _pipeline(args) and args.text("disaggregation-mode") != "prefill",
        lambda args: f"{_FLAG} with pp-size {args.integer('pp-size')} works on prefill servers only",
        "remove one of them", since="0.5.21", others=("pp-size",)),
    Row(_FLAG, lambda args: _pipeline(args) and args.text("disaggregation-mode") == "prefill"
        and speculative(args) not in ("EAGLE", "EAGLE3", "NEXTN"),
        lambda args: f"pp-size {args.integer('pp-size')} goes with EAGLE only, not with {speculative(args)}",
        "remove one of them", since="0.5.21", others=("pp-size",)),
    Row(_FLAG, lambda args: speculative(args) == "STANDALONE" and attention_dp(args) > 1,
        "STANDALONE does not work with attention data parallelism", "use EAGLE, or remove enable-dp-attention",
        since="0.5.2", hook="speculative_hook", moved="0.5.13"),
    Row(_FLAG, lambda args: speculative(args) == "NGRAM" and attention_dp(args) > 1,
        "NGRAM does not work with attention data parallelism", "use EAGLE, or remove enable-dp-attention",
        since="0.5.3", hook="speculative_hook", moved="0.5.13"),
    Row(_FLAG, lambda args: speculative(args) is not None and args.text("attention-backend") == "flex_attention",
        "flex_attention does not work with speculative decoding", "use triton or flashinfer",
        since="0.5.3", others=("attention-backend",), hook="attention_hook"),
    _tree_row(("flashinfer",), "0.5.2", "0.5.5.post3"),
    _tree_row(("flashinfer", "fa3"), "0.5.6", "0.5.12.post1"),
    Row(_FLAG, lambda args: speculative(args) == "NGRAM" and (args.integer("page-size") or 1) > 1
        and args.text("attention-backend") not in (None, "flashinfer"),
        "NGRAM needs page-size 1, or the flashinfer attention-backend", "write page-size 1", since="0.5.3",
        others=("page-size", "attention-backend"), hook="speculative_hook", moved="0.5.13"),
    Row(_FLAG, lambda args: speculative(args) in _EAGLES and "trtllm_mha" in _backends(args)
        and (args.integer("speculative-eagle-topk") or 1) > 1,
        "trtllm_mha works with speculative-eagle-topk 1 only", "write speculative-eagle-topk 1",
        since="0.5.1", others=("speculative-eagle-topk",), hook="speculative_hook", moved="0.5.13"),
    Row(_FLAG, lambda args: _with_lora(args, ("NGRAM",)), "LoRA goes with NGRAM only in SGLang {release}",
        "remove the LoRA flags, or use NGRAM", since="0.5.5.post3", until="0.5.18"),
    Row(_FLAG, lambda args: _with_lora(args, _LORA),
        lambda args: f"LoRA does not go with {speculative(args)}", f"use one of {', '.join(_LORA)}",
        since="0.5.19", hook="lora_hook"),
    Row(_FLAG, lambda args: _undrafted(args, ("DFLASH",)), "DFLASH needs speculative-draft-model-path",
        "add speculative-draft-model-path", since="0.5.11", hook="speculative_hook", moved="0.5.13"),
    Row(_FLAG, lambda args: speculative(args) == "UNO" and args.said("speculative-draft-model-path") is not None,
        "UNO drafts with the target itself and takes no draft model", "remove speculative-draft-model-path",
        since="0.5.20", others=("speculative-draft-model-path",), hook="speculative_hook"),
    Row(_FLAG, lambda args: speculative(args) == "UNO" and not args.value("uno-lora-path"),
        "UNO needs uno-lora-path", "add `uno-lora-path: PATH`", since="0.5.20", hook="speculative_hook"),
    Row(_FLAG, lambda args: _undrafted(args, ("DSPARK",)),
        "DSPARK needs speculative-draft-model-path where the checkpoint does not bundle its draft",
        "add speculative-draft-model-path", severity=Severity.WARNING, since="0.5.16", hook="speculative_hook",
        moved="0.5.13"),
    Row(_FLAG, lambda args: _undrafted(args, ("EAGLE3", "STANDALONE", "FROZEN_KV_MTP")),
        lambda args: f"{speculative(args)} drafts with its own model, and there is no speculative-draft-model-path",
        "add speculative-draft-model-path", severity=Severity.WARNING, hook="speculative_hook", moved="0.5.13"),
)  # fmt: skip


def _backends(args: Arguments) -> tuple[str | None, ...]:
    names = ("attention-backend", "prefill-attention-backend", "decode-attention-backend")
    return tuple(args.text(name) if args.has(name) else None for name in names)


_ONE_CHAIN = ("0.5.7", "0.5.10.post1")
"""With SGLANG_ENABLE_SPEC_V2 these releases take a top-k of 1 only."""
_TRUE = ("1", "true", "yes", "y")


def check(view: ServiceView) -> Iterator[Problem]:
    """What the release refuses."""
    yield from judge(view, ROWS)
    args, release = arguments(view), view.service.release
    if args is None or speculative(args) not in _EAGLES or not between(release, *_ONE_CHAIN):
        return
    topk = args.integer("speculative-eagle-topk") or 1
    if topk > 1 and str(view.service.environment.get("SGLANG_ENABLE_SPEC_V2")).lower() in _TRUE:
        yield Problem(
            args.route("speculative-eagle-topk"),
            f"speculative-eagle-topk {topk} does not work with SGLANG_ENABLE_SPEC_V2",
            help="write speculative-eagle-topk 1, or remove the variable",
            based_on=(f"SGLang {release}, srt/server_args.py",),
            related=((("environment", "SGLANG_ENABLE_SPEC_V2"), "the variable"),),
        )
