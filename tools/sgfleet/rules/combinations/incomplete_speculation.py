"""Speculative decoding of which only a part is given.

## What it does

For EAGLE, EAGLE3, NEXTN and STANDALONE, looks which of `speculative-num-steps`, `speculative-eagle-topk` and
`speculative-num-draft-tokens` are given. Either none is (the release then chooses all three), or the steps and the
top-k are, and the draft tokens too where top-k is above 1.

## Why

SGLang chooses all of them or none. A part of them ends the start with an empty AssertionError, or with a TypeError
that compares None with a number.

## Bad

```yaml
flags:
  speculative-algorithm: EAGLE
  speculative-draft-model-path: /srv/models/draft
  speculative-num-steps: 3
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
from sgfleet.rules.arguments import arguments, between
from sgfleet.rules.combinations._rows import source, speculative
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("CMB010", "incomplete-speculation", Severity.ERROR, "service")

_STEPS, _TOPK, _TOKENS = "speculative-num-steps", "speculative-eagle-topk", "speculative-num-draft-tokens"
_FAMILY = ("EAGLE", "EAGLE3", "NEXTN", "STANDALONE")

_CHOOSES = "0.4.4.post4"
"""From here on the release chooses the three values itself. Before, each has a default of its own."""
_COMPLETES = "0.4.5.post3"
"""From here on the draft tokens follow from the steps where top-k is 1."""


def check(view: ServiceView) -> Iterator[Problem]:
    """Some of the three."""
    args = arguments(view)
    if args is None or speculative(args) not in _FAMILY or not between(view.service.release, _CHOOSES):
        return
    given = [name for name in (_STEPS, _TOPK, _TOKENS) if args.said(name) is not None]
    if not given or any(args.value(name) is None for name in given):
        return
    missing = [name for name in (_STEPS, _TOPK) if name not in given]
    topk = args.integer(_TOPK) or 1
    if _TOKENS not in given and not missing and (topk > 1 or not between(view.service.release, _COMPLETES)):
        missing = [_TOKENS]
    if missing:
        others = f" without {' and '.join(missing)}"
        yield Problem(
            args.route(given[0]),
            f"{' and '.join(given)}{others}: SGLang {view.service.release} takes all of them or none",
            "key",
            help=_help(args.integer(_STEPS), topk),
            based_on=(f"SGLang {view.service.release}, {source(view.service.release, 'speculative_hook', '0.5.13')}",),
        )


def _help(steps: int | None, topk: int) -> str:
    steps = steps or 3
    tokens = steps + 1 if topk == 1 else 2 * topk
    return f"write {_STEPS} {steps}, {_TOPK} {topk} and {_TOKENS} {tokens}, or leave all three to the release"
