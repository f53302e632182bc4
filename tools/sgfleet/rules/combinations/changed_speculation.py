"""Speculative decoding with a setting that the release quietly replaces.

## What it does

Finds draft tokens that do not follow from the steps where top-k is 1, and `enable-mixed-chunk` beside speculative
decoding.

## Why

With top-k 1 the draft is a chain: steps + 1 tokens, and SGLang writes that over what was given (from 0.4.5.post3).
Mixed chunks are turned off (from 0.4.7). What runs is not what the spec says.

## Bad

```yaml
flags:
  speculative-algorithm: EAGLE
  speculative-draft-model-path: /srv/models/draft
  speculative-num-steps: 3
  speculative-eagle-topk: 1
  speculative-num-draft-tokens: 8
```

## Good

```yaml
flags:
  speculative-algorithm: EAGLE
  speculative-draft-model-path: /srv/models/draft
  speculative-num-steps: 3
  speculative-eagle-topk: 1
  speculative-num-draft-tokens: 4
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.combinations._rows import Row, judge, speculative
from sgfleet.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import Problem, ServiceView

RULE = Rule("CMB012", "changed-speculation", Severity.WARNING, "service")

_STEPS, _TOPK, _TOKENS = "speculative-num-steps", "speculative-eagle-topk", "speculative-num-draft-tokens"


def _unchained(args: Arguments) -> bool:
    steps, tokens = args.integer(_STEPS), args.integer(_TOKENS)
    return (
        speculative(args) in ("EAGLE", "EAGLE3", "NEXTN", "STANDALONE")
        and args.integer(_TOPK) == 1
        and steps is not None
        and tokens is not None
        and tokens != steps + 1
    )


ROWS = (
    Row(_TOKENS, _unchained,
        lambda args: f"{_TOKENS} {args.integer(_TOKENS)} becomes {(args.integer(_STEPS) or 0) + 1}: with top-k 1 it is"
        " the steps + 1",
        lambda args: f"write {(args.integer(_STEPS) or 0) + 1}",
        since="0.4.5.post3", others=(_STEPS, _TOPK), hook="speculative_hook", moved="0.5.13",
        sums=lambda args: f"{_STEPS} {args.integer(_STEPS)} + 1 = {(args.integer(_STEPS) or 0) + 1}"),
    Row("enable-mixed-chunk", lambda args: args.on("enable-mixed-chunk") and speculative(args) is not None,
        "enable-mixed-chunk is turned off by speculative decoding", "remove enable-mixed-chunk",
        since="0.4.7", others=("speculative-algorithm",), hook="speculative_hook", moved="0.5.13"),
)  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """What does not stay as it is written."""
    return judge(view, ROWS)
