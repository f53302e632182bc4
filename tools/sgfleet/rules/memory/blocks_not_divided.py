"""Quantised weights whose blocks the tensor-parallel ranks cannot share evenly.

## What it does

For checkpoints with FP8 weights in blocks (128 by 128 with most), divides the width of dense, shared and routed
feed-forward blocks by the ranks that share them, and checks that each rank has whole blocks. Routed experts are divided
by `tp-size` over `ep-size`.

## Why

A block has one scale, and no rank can have half of it: the release raises ValueError while it builds the layer.

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-235B-A22B-FP8
  tp-size: 8
```

## Good

```yaml
flags:
  model-path: Qwen/Qwen3-235B-A22B-FP8
  tp-size: 8
  ep-size: 2
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.memory._divided import blocks_of, ways_out
from sgfleet.rules.memory._model import model_of
from sgfleet.rules.memory._stages import in_stages
from sgfleet.rules.memory._tried import Tries
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.memory._divided import Blocks
    from sgfleet.rules.memory._model import Model
    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM021", "blocks-not-divided", Severity.ERROR, "machine")


def check(view: MachineView) -> Iterator[Problem]:
    """Blocks that would be cut."""
    model = model_of(view)
    if model is None or model.shape.quantisation is None:
        return
    for part in blocks_of(model):
        if part.rest:
            yield _problem(view, model, part)
            return


def _problem(view: MachineView, model: Model, part: Blocks) -> Problem:
    tries = Tries(view, RULE.code)
    ways = ways_out(view, model, tries, groups=part.what == "experts")
    help_ = "" if ways is None else ways.help("leaves every block whole")
    if ways is None or ways.outcome.errors:
        stages = in_stages(view, model.args, model.service.settings, tries) if not tries.is_one else ""
        help_ += ("; " if help_ else "") + (stages or "use pp-size for the GPUs, with fewer ranks")
    return Problem(
        model.args.route("tp-size"),
        f"{part.ways} ranks cannot share the {part.what}: they would cut FP8 blocks of {part.block}",
        arithmetic=(
            f"{part.width} / {part.ways} = {part.width / part.ways:g} a rank, by {part.by}",
            f"{part.width / part.ways:g} / {part.block} = {part.width / part.ways / part.block:g} blocks",
        ),
        help=help_,
        based_on=(model.source, f"SGLang {view.service.release}, srt/layers/quantization/fp8.py"),
    )
