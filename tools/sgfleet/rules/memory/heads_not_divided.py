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
from sgfleet.rules.memory._model import divisors, model_of
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.memory._model import Model
    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM020", "heads-not-divided", Severity.ERROR, "machine")

_PER_HEAD = frozenset({"gdn", "kda"})
"""Linear layers whose heads are divided one by one; groups of the others are padded or copied."""


def check(view: MachineView) -> Iterator[Problem]:
    """Heads that leave a rest."""
    model = model_of(view)
    if model is None:
        return
    ways = model.parallel.attention_tp
    tp = f"tp-size {model.parallel.tp}"
    if model.parallel.attention_dp > 1:
        tp = f"{tp} / {model.parallel.attention_dp} attention groups = {ways}"
    for heads, what in dict.fromkeys(_text(model)):
        if heads % ways and not ("KV" in what and ways % heads == 0):
            yield _problem(view, model, tp, heads, what, ways)
            return
    tower = model.shape.vision
    if tower is None or model.parallel.vision_dp or model.parallel.language_only or tower.whole:
        return
    if tower.heads and tower.heads % model.parallel.tp:
        size = model.parallel.tp
        yield _problem(view, model, f"tp-size {size}", tower.heads, "heads of the vision tower", size)


def _text(model: Model) -> Iterator[tuple[int, str]]:
    from sgfleet.model.layer import Attention, LinearAttention

    for mixer in model.shape.mixers:
        if isinstance(mixer, LinearAttention):
            if mixer.form in _PER_HEAD:
                yield mixer.k_heads, "key heads of linear layers"
                yield mixer.v_heads, "value heads of linear layers"
            continue
        yield mixer.heads, "attention heads"
        if isinstance(mixer, Attention):
            yield mixer.kv_heads, "KV heads"


def _problem(view: MachineView, model: Model, divided: str, heads: int, what: str, ways: int) -> Problem:
    vision = "vision" in what
    dp = "mm-enable-dp-encoder"
    help_ = f"tp-size {divisors(heads)} divides them"
    if vision and model.args.has(dp):
        help_ += f"; with `{dp}: true` every rank holds the tower whole"
    elif not vision and model.parallel.attention_dp > 1:
        help_ = f"a tp-size over dp-size of {divisors(heads)} divides them"
    return Problem(
        model.args.route("tp-size"),
        f"{heads} {what} cannot be divided among {ways} ranks",
        arithmetic=(f"{heads} / {ways} = {heads / ways:.2f} heads a rank, by {divided}",),
        help=help_,
        based_on=(model.source, f"SGLang {view.service.release}"),
        severity=Severity.WARNING if vision else None,
    )
