"""The GPU budget of a service: from the card's total down to KV tokens, for the pipeline stage that has least room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.memory.amount import Amount
from sgfleet.memory.cell import cell_of
from sgfleet.memory.compressed import compressed_cell_bytes
from sgfleet.memory.era import from_release
from sgfleet.memory.eras import DRAFT_IN_BUDGET, MULTIMODAL_RESERVE
from sgfleet.memory.fraction import fraction
from sgfleet.memory.free import free_before, nothing_free
from sgfleet.memory.hardware import why_unknown
from sgfleet.memory.pools import pools_from_budget, pools_of_tokens
from sgfleet.memory.resolve import resolve
from sgfleet.memory.runtime import graph_bytes, needed_bytes, request_table_bytes
from sgfleet.memory.state import state_bytes, state_slots
from sgfleet.memory.units import GIB, MIB
from sgfleet.model.parallel import Parallel, stage_ranges

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.memory.cell import Cell
    from sgfleet.memory.draft import DraftLayers
    from sgfleet.memory.fraction import Fraction
    from sgfleet.memory.hardware import Hardware
    from sgfleet.memory.observed import Observed
    from sgfleet.memory.pools import DevicePools
    from sgfleet.memory.resolve import Resolved
    from sgfleet.memory.settings import Settings
    from sgfleet.model.layer import Layer
    from sgfleet.model.parallel import WeightBytes
    from sgfleet.model.shape import ModelShape

PRINTED_BYTES: Final = GIB // 200
"""Half of the last digit that logs print."""
BETWEEN_RANKS_BYTES: Final = GIB // 10
VISION_CACHE_MIB: Final = 100
FEATURE_CACHE_MIB: Final = 1024
"""Defaults of SGLANG_VLM_CACHE_SIZE_MB and SGLANG_MM_FEATURE_CACHE_MB."""


ON_GPUS: Final = frozenset({None, "auto", "cuda"})
"""Values of --device with which a release runs on NVIDIA GPUs, where there are any."""


class Load(NamedTuple):
    """What a service puts on a rank before its pools: the shape, weights by stage, the draft."""

    shape: ModelShape
    weights: WeightBytes
    draft: DraftLayers | None = None


class GpuBudget(NamedTuple):
    """One rank's GPU. Bytes; `tokens` is what the release will report, within `error_tokens` either way.

    `slack_bytes` is what the fraction leaves alone; `left_bytes` is what is free once everything that lasts has been
    allocated: activations live in it. `draft_weights_inside` says that the draft's weights come out of the fraction.
    `request_table_most_bytes` is what the table would take if all that is free were KV rows (it grows with them).
    `unaccounted_bytes` is what an observed start took beside all that is counted. `unexplained_bytes` is what its pool
    had beyond what its fraction gives, and `implied_fraction` the one that would explain it. `measured_tokens` says
    that the tokens were read from a log.
    """

    stage: int
    fraction: Fraction
    total_bytes: int | None
    free_before: Amount
    weights: Amount
    draft_weights: Amount | None
    multimodal_bytes: int
    slack_bytes: int
    rest_bytes: int
    cell: Cell
    resolved: Resolved
    pools: DevicePools
    error_tokens: int
    draft_outside_bytes: int
    request_table_bytes: int
    graph_bytes: int
    needed_bytes: int
    draft_weights_inside: bool = True
    request_table_most_bytes: int = 0
    unaccounted_bytes: int = 0
    unexplained_bytes: int = 0
    implied_fraction: float | None = None
    measured_tokens: bool = False
    notes: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """KV tokens of a rank's pool."""
        return self.pools.tokens

    @property
    def left_bytes(self) -> int:
        """Free on the rank after weights, pools, draft, caches and graphs."""
        draft = self.draft_weights.bytes if self.draft_weights is not None else 0
        taken = self.weights.bytes + draft + self.pools.total_bytes + self.draft_outside_bytes
        taken += self.graph_bytes + self.multimodal_bytes + self.request_table_bytes + self.unaccounted_bytes
        return self.free_before.bytes - taken


class NotKnownError(ValueError):
    """A budget that cannot be computed, and what would have to be known for it."""

    def __init__(self, message: str, help_: str | None = None) -> None:
        super().__init__(message)
        self.help = help_


def parallel_of(settings: Settings) -> Parallel:
    """How a service spreads its weights."""
    partition = settings.environment.get("SGLANG_PP_LAYER_PARTITION", "")
    layers = tuple(int(part) for part in partition.split(",") if _is_count(part.strip()))
    return Parallel(
        tp=settings.tp,
        pp=settings.pp,
        attention_dp=settings.attention_dp,
        ep=settings.tp if settings.all_to_all != "none" else settings.ep,
        dense_tp=settings.dense_tp,
        redundant_experts=settings.redundant_experts,
        lm_head_dp=settings.lm_head_dp,
        vision_dp=settings.vision_dp,
        language_only=settings.language_only,
        layer_partition=layers if len(layers) == settings.pp > 1 else None,
        experts_all_to_all=settings.all_to_all != "none",
    )


def gpu_budget(settings: Settings, load: Load, hardware: Hardware, observed: Observed | None = None) -> GpuBudget:
    """The budget of the stage with the fewest tokens.

    `observed` are figures of a start of this very service; what it holds is taken instead of an estimate.

    Raises:
        NotKnownError: the card's memory is not known and nothing was observed, or nothing of it is free, or the
            service runs on something else.
    """
    if settings.device not in ON_GPUS:
        raise NotKnownError(f"the arithmetic is that of NVIDIA GPUs, and device is {settings.device}")
    ranks = settings.tp * settings.pp
    measured = observed.free_before_gib if observed is not None else None
    before = free_before(hardware, ranks, measured)
    if before is None:
        raise NotKnownError(*why_unknown(hardware))
    if before.bytes <= 0:
        raise NotKnownError(*nothing_free(hardware, ranks, measured))
    share = fraction(settings, load.shape, hardware)
    if share is None and hardware.divided:
        raise NotKnownError(*why_unknown(hardware))
    if share is None:
        raise NotKnownError("the default memory fraction depends on the card, whose memory is not known")
    budgets = [
        _stage(stage, layers, settings, load, hardware, before, share, observed)
        for stage, layers in enumerate(_stages(load.shape, settings))
    ]
    return min(budgets, key=lambda budget: budget.tokens)


def _stages(shape: ModelShape, settings: Settings) -> list[tuple[Layer, ...]]:
    parallel, layers = parallel_of(settings), len(shape.layers)
    if parallel.layer_partition is not None and sum(parallel.layer_partition) != layers:
        asked = "SGLANG_PP_LAYER_PARTITION"
        raise NotKnownError(f"{asked} is for {sum(parallel.layer_partition)} layers, and the model has {layers}")
    return [shape.layers[first:end] for first, end in stage_ranges(layers, parallel)]


def _stage(
    stage: int,
    layers: tuple[Layer, ...],
    settings: Settings,
    load: Load,
    hardware: Hardware,
    before: Amount,
    share: Fraction,
    observed: Observed | None,
) -> GpuBudget:
    resolved = resolve(settings, load.shape, hardware)
    cell = cell_of(layers, settings, resolved, load.draft)
    weights = _weights(load.weights, stage, observed, settings.tp)
    draft = _draft_weights(load.draft, observed)
    inside = DRAFT_IN_BUDGET.at(settings.release)
    multimodal = multimodal_bytes(settings, resolved.multimodal)
    slack = int(before.bytes * (1 - share.value))
    counted = weights.bytes + (draft.bytes if draft is not None and inside else 0)
    unexplained = observed.unexplained_bytes if observed is not None else 0
    rest = before.bytes - counted - slack - multimodal + unexplained
    measured = observed is not None and observed.kv_tokens is not None
    if observed is not None and observed.kv_tokens is not None:
        slots = state_slots(max(0, rest), state_bytes(layers, settings), settings)
        pools = pools_of_tokens(observed.kv_tokens, layers, cell, settings, resolved, slots)
    else:
        pools = pools_from_budget(rest, layers, cell, settings, resolved)
    away, implied = share.value, None
    if observed is not None and observed.calibrated_at is not None:
        away = abs(share.value - observed.calibrated_at)
        implied = observed.calibrated_at + unexplained / before.bytes if unexplained else None
    error = int(before.error_bytes * away) + (BETWEEN_RANKS_BYTES if unexplained else weights.error_bytes)
    error += draft.error_bytes if draft is not None and inside else 0
    error_tokens = 0 if measured or not pools.bytes_a_token else int(error / pools.bytes_a_token)
    if error_tokens and settings.max_total_tokens is not None:
        error_tokens = _below_limit(rest, error, layers, cell, settings, resolved)
    most = int((max(0, rest) + slack) / pools.bytes_a_token) if pools.bytes_a_token else 0
    rows_inside = load.draft is None or (inside and load.draft.rows_counted)
    outside = 0 if rows_inside else cell.draft_allocated * (pools.tokens + resolved.page_size)
    return GpuBudget(
        stage=stage,
        fraction=share,
        total_bytes=hardware.memory_bytes,
        free_before=before,
        weights=weights,
        draft_weights=draft,
        multimodal_bytes=multimodal,
        slack_bytes=slack,
        rest_bytes=rest,
        cell=cell,
        resolved=resolved,
        pools=pools,
        error_tokens=error_tokens,
        draft_outside_bytes=outside,
        draft_weights_inside=inside,
        request_table_bytes=request_table_bytes(settings, load.shape, pools.tokens),
        graph_bytes=graph_bytes(settings, hardware),
        needed_bytes=needed_bytes(settings, load.shape, hardware),
        request_table_most_bytes=request_table_bytes(settings, load.shape, max(most, pools.tokens)),
        unaccounted_bytes=observed.unaccounted_bytes if observed is not None else 0,
        unexplained_bytes=unexplained,
        implied_fraction=implied,
        measured_tokens=measured,
        notes=_notes(settings, load, layers, resolved),
    )


def _below_limit(
    rest: int, error: int, layers: tuple[Layer, ...], cell: Cell, settings: Settings, resolved: Resolved
) -> int:
    """How far the tokens may be off where a limit holds them: not at all if memory for it is there for sure."""
    sizes = rest - error, rest, rest + error
    low, middle, high = (pools_from_budget(size, layers, cell, settings, resolved).tokens for size in sizes)
    return max(middle - low, high - middle)


def _weights(weights: WeightBytes, stage: int, observed: Observed | None, ranks: int) -> Amount:
    """A log says what one rank has; the release goes by the rank that has least left, which differs a little."""
    if observed is not None and observed.weights_gib is not None and not observed.unexplained_bytes:
        error = BETWEEN_RANKS_BYTES if ranks > 1 else PRINTED_BYTES
        worked_out = observed.calibrated_at is not None
        source = "what the KV pool of a start left" if worked_out else "start-up log"
        return Amount(int(observed.weights_gib * GIB), "measured", error, source)
    size = weights.stages[stage].total
    if weights.exact:
        return Amount(size, "computed", 0, f"tensor headers of {weights.source.name}")
    return Amount(size, "estimated", int(size * weights.error), weights.source.name)


def _draft_weights(draft: DraftLayers | None, observed: Observed | None) -> Amount | None:
    if draft is None:
        return None
    if observed is not None and observed.draft_weights_gib is not None:
        return Amount(int(observed.draft_weights_gib * GIB), "measured", PRINTED_BYTES, "start-up log")
    return Amount(draft.weight_bytes, "estimated", draft.error_bytes, "draft")


def multimodal_bytes(settings: Settings, multimodal: bool) -> int:
    """What is kept out of the KV budget for pictures."""
    if not multimodal or not MULTIMODAL_RESERVE.at(settings.release):
        return 0
    cache = _megabytes(settings.environment, "SGLANG_VLM_CACHE_SIZE_MB", VISION_CACHE_MIB)
    return cache * MIB


def _megabytes(environment: Mapping[str, str], name: str, default: int) -> int:
    text = environment.get(name, "")
    return int(text) if _is_count(text) else default


def _is_count(text: str) -> bool:
    """A number in a variable, of a length that can be meant."""
    return text.isascii() and text.isdecimal() and len(text) < 8


def _notes(settings: Settings, load: Load, layers: tuple[Layer, ...], resolved: Resolved) -> tuple[str, ...]:
    notes = [*resolved.open, *load.weights.notes]
    if load.draft is not None:
        notes += load.draft.notes
    notes += [f"not counted: {what}" for _, what in settings.unmodelled]
    if compressed_cell_bytes(layers, settings, draft=False) and from_release(settings.release, "0.5.21"):
        notes.append("DeepSeek V4's pools are counted by the rule of 0.5.12 to 0.5.20; this release differs in details")
    if (
        resolved.sliding
        and not settings.radix_cache
        and settings.max_running_requests
        and from_release(settings.release, "0.5.14")
    ):
        notes.append("without radix cache the release sizes the window's pool by requests, which is not followed here")
    if settings.environment.get("SGLANG_ENABLE_POST_CAPTURE_KV_SIZING", "").lower() in {"1", "true", "yes"}:
        notes.append("not counted: KV pools that are resized after graph capture")
    return tuple(notes)
