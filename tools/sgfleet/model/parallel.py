"""How a service spreads a model over ranks, and the weight bytes that result."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sgfleet.model.shape import Source


class Parallel(NamedTuple):
    """Resolved values of the flags that spread weights; the world is tp * pp ranks.

    `attention_dp` is the number of attention data-parallel groups inside `tp` (1 without dp-attention): attention is
    divided tp / attention_dp ways. Experts are divided whole `ep` ways, each then tp / ep ways; `redundant_experts`
    are copies on top.
    `dense_tp` is --moe-dense-tp-size (None: tp). `lm_head_dp` is --enable-dp-lm-head. `vision_dp` is
    --mm-enable-dp-encoder: every rank holds the tower whole. `language_only`: no tower is loaded.
    `layer_partition` is SGLANG_PP_LAYER_PARTITION: the number of layers of each stage.
    `experts_all_to_all` is set for an all-to-all expert backend (deepep, ...): shared experts are then whole on every
    rank.
    """

    tp: int = 1
    pp: int = 1
    attention_dp: int = 1
    ep: int = 1
    dense_tp: int | None = None
    redundant_experts: int = 0
    lm_head_dp: bool = False
    vision_dp: bool = False
    language_only: bool = False
    experts_all_to_all: bool = False
    layer_partition: tuple[int, ...] | None = None

    @property
    def attention_tp(self) -> int:
        """Ways in which attention heads, and so KV rows, are divided."""
        return max(1, self.tp // self.attention_dp)


class StageBytes(NamedTuple):
    """Weight bytes on one rank of one pipeline stage; all ranks of a stage hold the same amount.

    `sharded` is this rank's part of tensors that are divided; `replicated` is what every rank of the stage holds
    whole. The stage's layers are first_layer to end_layer, exclusive.
    """

    sharded: int
    replicated: int
    first_layer: int
    end_layer: int

    @property
    def total(self) -> int:
        """Bytes on a rank of this stage."""
        return self.sharded + self.replicated


class WeightBytes(NamedTuple):
    """Weight bytes a rank, at the dtypes in which the checkpoint stores them.

    `stages` has one entry for each pipeline stage. `draft` is what the MTP layers of this checkpoint add on a rank
    when they are loaded; it is not in `stages`.
    `exact` means that the figures were added up from tensor headers; a rank uses somewhat more while it loads them
    (0.1 to 0.6 GiB in most logs, up to 2 GiB with large quantised experts). Otherwise `error` is the relative error
    of the estimate (0.03: within 3 %), measured on checkpoints whose size is known.
    `notes` are what a person should know about the figure.
    """

    stages: tuple[StageBytes, ...]
    draft: int
    exact: bool
    error: float
    source: Source
    notes: tuple[str, ...] = ()

    @property
    def largest(self) -> int:
        """Bytes on a rank of the heaviest stage: what has to fit."""
        return max(stage.total for stage in self.stages)


def stage_ranges(layers: int, parallel: Parallel) -> tuple[tuple[int, int], ...]:
    """The layers (first, end) of each pipeline stage: as even as can be, the last stages taking the extra ones."""
    base, extra = divmod(layers, parallel.pp)
    even = (base + (stage >= parallel.pp - extra) for stage in range(parallel.pp))
    return tuple(pairwise(accumulate(parallel.layer_partition or even, initial=0)))
