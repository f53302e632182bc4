"""What the memory budget and the spec promise of a service, for the gate to hold the running server against.

A pass that finds nothing to do reads promises and makes none: what making one needs is imported there.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.engine.release import Release
    from sgfleet.memory.device import GpuBudget
    from sgfleet.memory.of_host import HostMemory
    from sgfleet.memory.service import Service as Budgeted
    from sgfleet.spec.models.service import Service

_PROMISED: Final = (
    "tp_size",
    "pp_size",
    "context_length",
    "enable_hierarchical_cache",
    "hicache_ratio",
    "hicache_size",
)
"""Settings, by the field names of the info endpoint, that no release resolves to anything else once they are given."""


@dataclass(frozen=True, slots=True)
class KvTokens:
    """KV tokens of a rank's pool, within `error` either way.

    `exact`: the spec sets them and they fit. `measured`: a start with these settings was read on this host.
    `estimated`: from weights and free memory.
    """

    count: int
    error: int
    origin: Literal["exact", "measured", "estimated"]


@dataclass(frozen=True, slots=True)
class Promise:
    """What a service is to realise. None is not known, and `unknown` then says why.

    `settings` are field names of the info endpoint -> values that the spec sets. `host_pool_rank_bytes` is what one
    rank pins, 0 without a host tier; `host_pool_bytes` what all ranks of the host pin. `weight_bytes` are those that
    the ranks of this host load. `serves` says whether this process answers requests: the other hosts of a group do not.
    """

    release: str
    served_model: str | None = None
    kv_tokens: KvTokens | None = None
    host_pool_rank_bytes: int | None = None
    host_pool_bytes: int | None = None
    weight_bytes: int | None = None
    context_tokens: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    serves: bool = True
    unknown: tuple[str, ...] = ()

    def with_measured(self, kv_tokens: int | None) -> Promise:
        """The same with the tokens that the last verified start of the very same unit had on this host."""
        if kv_tokens is None or (self.kv_tokens is not None and self.kv_tokens.origin == "exact"):
            return self
        return replace(self, kv_tokens=KvTokens(kv_tokens, 0, "measured"))


def promise_of(
    name: str, service: Service, release: Release | None, memory: HostMemory, *, settings_are_known: bool = True
) -> Promise:
    """The promise of one service. Whatever cannot be computed is None, and why stands in `unknown`.

    `settings_are_known`: an observed start says which settings it had. Where it does not, its figures may be of a start
    from before the very change that is applied: they explain a budget, and promise nothing.
    """
    from sgfleet.memory.of_host import Unknown

    flags = flag_values(service, release)
    model = flags.get("served_model_name") or flags.get("model_path")
    settings = {each: flags[each] for each in _PROMISED if flags.get(each) is not None}
    if str(flags.get("model_path", "")).startswith("/"):
        settings["model_path"] = flags["model_path"]
    plain = Promise(
        release=service.release,
        served_model=str(model) if model is not None else None,
        settings=settings,
        serves=not flags.get("node_rank"),
    )
    budgeted, budget = memory.service(name), memory.budget(name)
    if isinstance(budgeted, Unknown) or isinstance(budget, Unknown):
        why = budgeted if isinstance(budgeted, Unknown) else budget
        assert isinstance(why, Unknown)  # noqa: S101 - one of the two is
        return replace(plain, unknown=(f"KV tokens and host pools are not promised: {why.message}",))
    share = memory.share(name)
    return replace(
        plain,
        kv_tokens=_tokens(name, budgeted, budget, memory, settings_are_known=settings_are_known),
        host_pool_rank_bytes=sum(pool.bytes for pool in share.rank_pools) if share is not None else None,
        host_pool_bytes=share.pinned_bytes if share is not None else None,
        weight_bytes=_weight_bytes(budgeted),
        context_tokens=budgeted.settings.context_length or budgeted.load.shape.context_length,
    )


def flag_values(service: Service, release: Release | None) -> dict[str, Any]:
    """The flags that the spec sets, by the field names of the info endpoint, without those that cannot be read."""
    if release is None:
        return {}
    from sgfleet.engine.argv.values import BadValueError, value_of

    values = {}
    for name, value in service.flags.items():
        flag = release.by_name.get(name)
        if flag is None or value is None:
            continue
        try:
            values[release.renamed.get(flag.dest, flag.dest)] = value_of(flag, value, name)
        except BadValueError:
            continue
    return values


def _tokens(
    name: str, budgeted: Budgeted, budget: GpuBudget, memory: HostMemory, *, settings_are_known: bool
) -> KvTokens | None:
    from sgfleet.memory.of_host import Unknown, budget_of

    if budget.measured_tokens and settings_are_known:
        return KvTokens(budget.tokens, 0, "measured")
    if budget.measured_tokens:
        computed = memory.variant(name, {})
        if isinstance(computed, Unknown) or isinstance(unseen := budget_of(computed), Unknown):
            return None
        budgeted, budget = computed, unseen
    error = budget.error_tokens
    if budgeted.settings.max_total_tokens is not None:
        # What would fit without the cap, less the error of that estimate, may still be above the cap.
        free = memory.variant(name, {"max-total-tokens": None})
        room = free if isinstance(free, Unknown) else budget_of(free)  # only a start may have told what is free
        if not isinstance(room, Unknown):
            surplus = room.tokens - room.error_tokens - budget.tokens
            if surplus >= 0:
                return KvTokens(budget.tokens, 0, "exact")
            error = min(error, -surplus)
    return KvTokens(budget.tokens, error, "estimated")


def _weight_bytes(budgeted: Budgeted) -> int:
    """Bytes of all ranks of this host: of each stage, as often as tensor parallelism divides it."""
    settings = budgeted.settings
    every = sum(stage.total for stage in budgeted.load.weights.stages) * settings.tp * settings.replicas
    if budgeted.load.draft is not None:
        every += budgeted.load.draft.weight_bytes * settings.tp * settings.replicas
    return every // settings.nodes
