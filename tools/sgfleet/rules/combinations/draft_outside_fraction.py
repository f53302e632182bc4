"""A memory fraction that was chosen without the draft model.

## What it does

Finds `mem-fraction-static` beside a speculative algorithm with a draft model, in releases up to 0.5.13.post1.

## Why

In these releases the fraction covers the weights and the KV pool of the target alone. The draft's weights and its KV
cache come out of what is left, and where the fraction is given, SGLang no longer keeps its own reserve for them. From
0.5.14 the KV cells of the draft count inside the fraction.

## Bad

```yaml
flags:
  speculative-algorithm: EAGLE
  speculative-draft-model-path: /srv/models/draft
  mem-fraction-static: 0.9
```

## Good

```yaml
flags:
  speculative-algorithm: EAGLE
  speculative-draft-model-path: /srv/models/draft
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.combinations._rows import Row, judge, speculative
from sgfleet.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import Problem, ServiceView

RULE = Rule("CMB013", "draft-outside-fraction", Severity.NOTE, "service")

ROWS = (
    Row("mem-fraction-static", lambda args: speculative(args) in ("EAGLE", "EAGLE3", "NEXTN", "STANDALONE"),
        lambda args: f"mem-fraction-static {args.number('mem-fraction-static'):g} does not cover the draft model: its"
        " weights and KV cache come on top",
        "leave it to the release, or lower it by the draft's share of the GPU", until="0.5.13.post1",
        others=("speculative-algorithm",)),
)  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """A fraction given beside a draft model."""
    return judge(view, ROWS)
