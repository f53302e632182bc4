"""Attention heads that the tensor-parallel ranks cannot share evenly.

## What it does

Divides the query heads, KV heads and heads of linear layers by the ways in which attention is divided (`tp-size`
over the data-parallel attention groups), and the vision tower's heads by `tp-size`. KV heads may also be fewer than the
ranks, when the ranks are a multiple of them: each is then copied. Where a release pads or copies a vision tower differs
from model to model, so that is a warning.

## Why

The release asserts it while it builds the model: the server ends, minutes into the start with a large checkpoint on a
slow disk, with a bare AssertionError.

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-32B
  tp-size: 3
```

## Good

```yaml
flags:
  model-path: Qwen/Qwen3-32B
  tp-size: 4
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.memory._divided import heads_of, ways_out
from sgfleet.rules.memory._model import divisors, model_of
from sgfleet.rules.memory._tried import Tries
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.memory._divided import Heads
    from sgfleet.rules.memory._model import Model
    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM020", "heads-not-divided", Severity.ERROR, "machine")


def check(view: MachineView) -> Iterator[Problem]:
    """Heads that leave a rest."""
    model = model_of(view)
    if model is None:
        return
    for each in heads_of(model):
        if each.rest:
            yield _problem(view, model, each)
            return


def _problem(view: MachineView, model: Model, found: Heads) -> Problem:
    heads, what, ways, vision = found
    divided = f"tp-size {model.parallel.tp}"
    if model.parallel.attention_dp > 1 and not vision:
        divided += f" / {model.parallel.attention_dp} attention groups = {ways}"
    dp = "mm-enable-dp-encoder"
    out = ways_out(view, model, Tries(view, RULE.code))
    help_ = f"{divisors(heads)} ways divide them" if out is None else out.help("divides them")
    if vision and model.args.has(dp):
        help_ += f"; with `{dp}: true` every rank holds the tower whole"
    return Problem(
        model.args.route("tp-size"),
        f"{heads} {what} cannot be divided among {ways} ranks",
        arithmetic=(f"{heads} / {ways} = {heads / ways:.2f} heads a rank, by {divided}",),
        help=help_,
        based_on=(model.source, f"SGLang {view.service.release}"),
        severity=Severity.WARNING if vision else None,
    )
