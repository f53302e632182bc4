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

from typing import TYPE_CHECKING, NamedTuple

from sgfleet.findings import Severity
from sgfleet.rules.memory._model import model_of
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.model.shape import Storage
    from sgfleet.rules.memory._model import Model
    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM021", "blocks-not-divided", Severity.ERROR, "machine")


class _Part(NamedTuple):
    """A matrix that is divided: its width, among how many ranks, by which flags."""

    what: str
    width: int
    ways: int
    by: str
    storage: Storage | None


def check(view: MachineView) -> Iterator[Problem]:
    """Blocks that would be cut."""
    model = model_of(view)
    if model is None or model.shape.quantisation is None:
        return
    for part in dict.fromkeys(_parts(model)):
        block = part.storage.block if part.storage is not None else None
        if block is None or part.storage is None or part.storage.format != "fp8" or part.ways < 2:
            continue
        rank = part.width / part.ways
        if rank % max(block):
            yield _problem(view, model, part, max(block))
            return


def _parts(model: Model) -> Iterator[_Part]:
    from sgfleet.model.layer import Mlp, Moe

    stored = dict(model.shape.quantisation.parts) if model.shape.quantisation is not None else {}
    parallel = model.parallel
    dense_ways = parallel.dense_tp or parallel.tp
    expert_ways = max(1, parallel.tp // parallel.ep)
    for mlp in dict.fromkeys(layer.mlp for layer in model.shape.layers):
        if isinstance(mlp, Moe):
            by = f"tp-size {parallel.tp} / ep-size {parallel.ep}"
            yield _Part("experts", mlp.intermediate_size, expert_ways, by, stored.get("experts"))
            if mlp.shared_intermediate_size:
                shared = 1 if parallel.experts_all_to_all else parallel.tp
                by = f"tp-size {parallel.tp}"
                yield _Part("shared experts", mlp.shared_intermediate_size, shared, by, stored.get("shared"))
        elif isinstance(mlp, Mlp):
            yield _Part("dense layers", mlp.intermediate_size, dense_ways, f"{dense_ways} ranks", stored.get("dense"))


def _problem(view: MachineView, model: Model, part: _Part, block: int) -> Problem:
    fits = [size for size in (64, 32, 16, 8, 4, 2, 1) if size < part.ways and part.width % (size * block) == 0]
    ways = fits[0] if fits else 1
    if part.what == "experts" and model.parallel.tp % ways == 0:
        help_ = f"ep-size {model.parallel.tp // ways} divides experts {ways} ways, or tp-size {ways}"
    else:
        help_ = f"at most {ways} ways: tp-size {ways}, with pp-size or dp-size for the other GPUs"
    return Problem(
        model.args.route("tp-size"),
        f"{part.ways} ranks cannot share the {part.what}: they would cut FP8 blocks of {block}",
        arithmetic=(
            f"{part.width} / {part.ways} = {part.width / part.ways:g} a rank, by {part.by}",
            f"{part.width / part.ways:g} / {block} = {part.width / part.ways / block:g} blocks",
        ),
        help=help_,
        based_on=(model.source, f"SGLang {view.service.release}, srt/layers/quantization/fp8.py"),
    )
