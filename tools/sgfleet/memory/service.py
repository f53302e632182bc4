"""One service: its GPU budget and its host pools together, as they are and as they would be."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.memory.amount import Amount
from sgfleet.memory.cell import cell_of
from sgfleet.memory.device import GpuBudget, Load, gpu_budget, parallel_of
from sgfleet.memory.eras import DRAFT_IN_BUDGET, HOST_DRAFT, HOST_KINDS
from sgfleet.memory.host_pools import HostPool, Mirrored, default_ratio, host_pools, total_bytes
from sgfleet.memory.observed import Observed
from sgfleet.memory.pools import DevicePools, pools_of_tokens
from sgfleet.memory.ratio import automatic_ratio
from sgfleet.memory.units import GIB
from sgfleet.model.layer import Attention, CompressedAttention, LatentAttention
from sgfleet.model.parallel import stage_ranges

if TYPE_CHECKING:
    from sgfleet.memory.hardware import Hardware
    from sgfleet.memory.settings import Settings
    from sgfleet.model.shape import ModelShape

ENGINE_BASE_BYTES: Final = 3 * GIB
ENGINE_RANK_BYTES: Final = 2 * GIB
"""RAM of the engine's own processes: the front, and each rank with its libraries. A rule of thumb, within half."""


class Limits(NamedTuple):
    """Bounds that systemd puts on a service; None for none."""

    memory_max_bytes: int | None = None
    memory_high_bytes: int | None = None
    memlock_bytes: int | None = None

    @property
    def group_bytes(self) -> int | None:
        """The tighter of the two bounds on the service's control group."""
        bounds = [bound for bound in (self.memory_max_bytes, self.memory_high_bytes) if bound is not None]
        return min(bounds, default=None)


@dataclass(frozen=True)
class Service:
    """Everything that decides a service's memory. `started` are the settings that `observed` was seen with."""

    name: str
    settings: Settings
    load: Load
    hardware: Hardware
    observed: Observed | None = None
    started: Settings | None = None
    limits: Limits = field(default_factory=Limits)

    @cached_property
    def budget(self) -> GpuBudget:
        """The GPU budget: from the start that was observed where there was one.

        Raises: NotKnownError: too little is known.
        """
        return gpu_budget(self.settings, self.load, self.hardware, self._seen())

    def _seen(self) -> Observed | None:
        """What the observed start tells about these settings."""
        observed, started = self.observed, self.started
        if observed is None:
            return None
        if started is None:
            return observed._replace(kv_tokens=None)
        if not same_weights(started, self.settings):
            alike = (started.tp, started.pp) == (self.settings.tp, self.settings.pp)
            return Observed(free_before_gib=observed.free_before_gib) if alike else None
        if started.speculative != self.settings.speculative:
            observed = observed._replace(free_after_gib=None, draft_weights_gib=None)
            if observed.kv_tokens is None or DRAFT_IN_BUDGET.at(started.release):
                return observed._replace(kv_tokens=None)
        seen = observed if observed.kv_tokens is None else self._calibrated(started, observed)
        return seen if same_pools(started, self.settings) else seen._replace(kv_tokens=None)

    def _calibrated(self, started: Settings, observed: Observed) -> Observed:
        """A start tells what the weights really took, where its log does not say it, and what nobody counted."""
        if observed.fraction is not None:
            started = started._replace(fraction=observed.fraction)
        seen = gpu_budget(started, self.load, self.hardware, observed)
        if observed.weights_gib is None or observed.free_before_gib is None:
            states = seen.pools.state.taken_bytes if seen.pools.state is not None else 0
            rest = seen.pools.tokens * seen.pools.bytes_a_token + states
            weights = max(0, seen.weights.bytes + seen.rest_bytes - int(rest))
            observed = observed._replace(weights_gib=weights / GIB, calibrated_at=seen.fraction.value)
            doubt = seen.weights.error_bytes + int(seen.free_before.error_bytes * seen.fraction.value)
            if DRAFT_IN_BUDGET.at(started.release) and seen.draft_weights is not None:
                doubt += seen.draft_weights.error_bytes
            if abs(seen.weights.bytes - weights) > doubt:
                observed = observed._replace(unexplained_bytes=seen.weights.bytes - weights)
            seen = gpu_budget(started, self.load, self.hardware, observed)
        if observed.free_after_gib is None:
            return observed
        return observed._replace(unaccounted_bytes=max(0, seen.left_bytes - int(observed.free_after_gib * GIB)))

    @property
    def ranks(self) -> int:
        """Ranks of this service on one host."""
        return self.settings.ranks_per_host

    @property
    def engine_bytes(self) -> Amount:
        """RAM that the engine's processes take on this host beside host pools."""
        size = ENGINE_BASE_BYTES + self.ranks * ENGINE_RANK_BYTES
        return Amount(size, "estimated", size // 2, "rule of thumb")

    @cached_property
    def stages(self) -> tuple[Mirrored, ...]:
        """What the ranks of each pipeline stage have to mirror."""
        budget, shape = self.budget, self.load.shape
        ranges = stage_ranges(len(shape.layers), parallel_of(self.settings))
        return tuple(self._mirrored(budget, shape, first, end) for first, end in ranges)

    def _mirrored(self, budget: GpuBudget, shape: ModelShape, first: int, end: int) -> Mirrored:
        layers = shape.layers[first:end]
        draft = self.load.draft
        cell = cell_of(layers, self.settings, budget.resolved, draft)
        pools: DevicePools = budget.pools
        if len(layers) != len(shape.layers):
            pools = pools_of_tokens(budget.tokens, layers, cell, self.settings, budget.resolved, budget.pools.state)
        packed = draft is not None and HOST_DRAFT.at(self.settings.release) == "packed" and self._is_mtp
        return Mirrored(
            pools, cell, self.settings, budget.resolved.page_size, packed, draft.count if draft is not None else 0
        )

    @property
    def _is_mtp(self) -> bool:
        asked = self.settings.speculative
        return asked is not None and asked.is_mtp and self.load.shape.draft is not None

    def ratio(self, available_bytes: int | None) -> float | None:
        """The ratio that holds: asked for, the default, or the release's own choice; None for a fixed size.

        `available_bytes` is what the engine sees before it starts; without it an automatic ratio is the default.
        """
        hicache = self.settings.hicache
        if hicache is None or hicache.size_gb > 0:
            return None
        if hicache.ratio is not None:
            return hicache.ratio
        if available_bytes is not None:
            chosen = min(
                (
                    ratio
                    for stage in self.stages
                    if (
                        ratio := automatic_ratio(
                            stage, hicache, ranks=self.ranks, engine_available_bytes=available_bytes
                        )
                    )
                    is not None
                ),
                default=None,
            )
            if chosen is not None:
                return chosen
        return default_ratio(self.settings)

    def host_pools(self, available_bytes: int | None) -> tuple[tuple[HostPool, ...], ...]:
        """The host pools of one rank of each stage; empty without HiCache."""
        hicache = self.settings.hicache
        if hicache is None:
            return ()
        ratio = self.ratio(available_bytes)
        return tuple(host_pools(stage, hicache, ratio) for stage in self.stages)

    def pinned_bytes(self, available_bytes: int | None) -> int:
        """RAM of all host pools of this service on one host."""
        pools = self.host_pools(available_bytes)
        return sum(total_bytes(stage) for stage in pools) * self.ranks // max(1, len(pools)) if pools else 0

    @cached_property
    def no_host_pool(self) -> str | None:
        """Why the release has no host pool for this model, or why it is not computed here; None where it has one."""
        if self.settings.hicache is None:
            return None
        kinds = kv_kinds(self.load.shape, sliding=self.budget.resolved.sliding)
        if "compressed" in kinds:
            return "not computed: host pools of DeepSeek V4"
        missing = kinds - HOST_KINDS.at(self.settings.release)
        if not missing:
            return None
        words = {"mla": "MLA rows", "dsa": "DSA index keys", "mamba": "linear layers", "sliding": "sliding layers"}
        return f"{self.settings.release} has no host pool for {words.get(min(missing), min(missing))}"


def kv_kinds(shape: ModelShape, *, sliding: bool) -> frozenset[str]:
    """What kinds of KV pool a model needs, in the words of `HOST_KINDS`."""
    kinds = set[str]()
    for mixer in shape.mixers:
        match mixer:
            case Attention():
                kinds.add("minimax" if mixer.indexer is not None else "mha")
                if sliding and mixer.window is not None:
                    kinds.add("sliding")
            case LatentAttention():
                kinds.add("dsa" if mixer.indexer is not None else "mla")
            case CompressedAttention():
                kinds.add("compressed")
            case _:
                pass
    if shape.has_state:
        kinds.add("mamba")
    return frozenset(kinds)


_WEIGHTS: Final = (
    "model_path",
    "tp",
    "pp",
    "attention_dp",
    "replicas",
    "ep",
    "dense_tp",
    "redundant_experts",
    "lm_head_dp",
    "vision_dp",
    "language_only",
    "all_to_all",
    "dtype",
    "quantization",
)


def same_weights(one: Settings, other: Settings) -> bool:
    """Whether two settings put the same weights on a rank."""
    return all(getattr(one, name) == getattr(other, name) for name in _WEIGHTS)


_HOST_ONLY: Final = frozenset({"hicache", "environment", "prefill_graph_blockers"})


def same_pools(one: Settings, other: Settings) -> bool:
    """Whether two settings give the same device pools: they differ in the host tier at most."""
    names = [name for name in one._fields if name not in _HOST_ONLY]
    return all(getattr(one, name) == getattr(other, name) for name in names)
