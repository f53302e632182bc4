"""A specification and a host's facts -> the services and the host that the arithmetic works on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sgfleet.engine import store
from sgfleet.engine.meant import as_meant
from sgfleet.memory.cards import card
from sgfleet.memory.device import Load, NotKnownError, parallel_of
from sgfleet.memory.draft import draft_layers
from sgfleet.memory.flags import settings_of
from sgfleet.memory.hardware import Hardware, parse_capability
from sgfleet.memory.host import HostFacts
from sgfleet.memory.observed import Observed
from sgfleet.memory.online import loaded_weights
from sgfleet.memory.scaled import scaled
from sgfleet.memory.service import Limits, Service
from sgfleet.memory.settings import Settings, SettingsError
from sgfleet.model.find import find
from sgfleet.model.problem import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sgfleet.engine.release import Release
    from sgfleet.model.parallel import WeightBytes
    from sgfleet.model.shape import ModelShape
    from sgfleet.source.tree import KeptTree
    from sgfleet.spec.models.facts import Checkpoint, Facts, Observation
    from sgfleet.spec.models.fleet import Policy
    from sgfleet.spec.models.service import Service as ServiceSpec


def service_of(
    name: str,
    spec: ServiceSpec,
    release: Release,
    facts: Facts | None,
    root: Path | KeptTree | None,
    flags: Mapping[str, Any],
    seen_with: ServiceSpec | None = None,
) -> Service:
    """One service with these flags; `spec.flags` are those that it has in the repository.

    `seen_with` is the specification that the observed start had, where that is another one than `spec`.

    Raises:
        NotKnownError: the model, the GPUs or a flag leave too little to compute with.
    """
    observation = facts.observed.get(name) if facts is not None else None
    try:
        named, doubtful = as_meant(release, flags)
        settings = settings_of(release, named, spec.environment, doubtful)
        started = _started(seen_with or spec, observation, release, root)
    except SettingsError as error:
        raise NotKnownError(f"the flags cannot be used: {error}") from error
    shape, weights = _model(settings.model_path, settings, facts, root)
    draft = None
    if settings.speculative is not None and settings.speculative.draft_path not in (None, settings.model_path):
        draft = _draft(str(settings.speculative.draft_path), settings, facts, root)
    return Service(
        name=name,
        settings=settings,
        load=Load(shape, weights, draft_layers(settings, shape, weights, draft)),
        hardware=hardware_of(spec, facts),
        observed=_observed(observation),
        started=started,
        limits=_limits(spec, facts),
    )


def _started(
    spec: ServiceSpec, observation: Observation | None, release: Release, root: Path | KeptTree | None
) -> Settings | None:
    """The settings that the observed start had, in the release that ran then.

    What the start itself said of them counts; for the rest, and for a start that said nothing, the repository's are
    taken. So an edit of the spec does not rewrite what the figures were measured with.
    """
    if observation is None:
        return None
    if observation.release != release.version:
        try:
            release = store.load(observation.release, root)
        except store.SchemaError:
            return None
    said = {name.replace("_", "-"): value for name, value in observation.settings.items() if name != "model_path"}
    try:
        return settings_of(release, {**spec.flags, **said}, spec.environment)
    except SettingsError:  # what the engine resolved need not be what its parser takes
        return settings_of(release, spec.flags, spec.environment)


def _model(
    path: str, settings: Settings, facts: Facts | None, root: Path | KeptTree | None
) -> tuple[ModelShape, WeightBytes]:
    if not path:
        raise NotKnownError("no model is named", "set model-path")
    checkpoint = _checkpoint(path, facts)
    try:
        named = checkpoint.model if checkpoint is not None and checkpoint.model else path
        found = find(named, root, local=False)
    except ModelError as error:
        raise NotKnownError(str(error), error.help) from error
    weights = loaded_weights(found, parallel_of(settings), settings.quantization)
    if checkpoint is not None and checkpoint.total_bytes and found.pieces is None:
        weights = scaled(weights, found.shape, checkpoint.total_bytes)
    return found.shape, weights


def _draft(
    path: str, settings: Settings, facts: Facts | None, root: Path | KeptTree | None
) -> tuple[ModelShape, WeightBytes] | None:
    """The draft's checkpoint where something is known of it."""
    try:
        return _model(path, settings, facts, root)
    except NotKnownError:
        return None


def _checkpoint(path: str, facts: Facts | None) -> Checkpoint | None:
    wanted = path.rstrip("/")
    checkpoints = facts.checkpoints if facts is not None else ()
    return next((checkpoint for checkpoint in checkpoints if checkpoint.path.rstrip("/") == wanted), None)


def hardware_of(spec: ServiceSpec, facts: Facts | None) -> Hardware:
    """The GPUs of a service. The smallest card of the whole host counts: the engine's defaults start from it.

    Of a GPU that MIG divides no process gets the whole.
    """
    gpus = facts.gpus if facts is not None else None
    if not gpus:
        return Hardware()
    used = [gpu for gpu in gpus if spec.gpus == "all" or gpu.index in spec.gpus] or list(gpus)
    memories = [gpu.memory_mib for gpu in gpus if gpu.memory_mib]
    links = [gpu.nvlinks for gpu in used if gpu.nvlinks is not None]
    capability = parse_capability(used[0].compute_capability)
    divided = tuple(gpu.index for gpu in used if gpu.mig)
    if divided:
        return Hardware(used[0].name, len(used), None, capability, divided=divided)
    if not memories:
        known = card(used[0].name, len(used))
        return Hardware(used[0].name, len(used), known.memory_mib, capability or known.capability)
    return Hardware(used[0].name, len(used), min(memories), capability, all(links) if links else None)


def _observed(observation: Observation | None) -> Observed | None:
    if observation is None:
        return None
    fraction = observation.settings.get("mem_fraction_static")
    return Observed(
        release=observation.release,
        kv_tokens=observation.kv_tokens,
        free_before_gib=observation.free_before_gib_min,
        weights_gib=observation.weights_gib,
        draft_weights_gib=observation.draft_weights_gib,
        free_after_gib=observation.free_after_gib_min,
        fraction=float(fraction) if isinstance(fraction, int | float) and not isinstance(fraction, bool) else None,
    )


def _limits(spec: ServiceSpec, facts: Facts | None) -> Limits:
    unit = spec.unit
    above = facts.limits.memory_bytes if facts is not None else None
    bounds = [size for size in (unit.memory_max, above) if isinstance(size, int)]
    return Limits(
        memory_max_bytes=min(bounds, default=None),
        memory_high_bytes=unit.memory_high if isinstance(unit.memory_high, int) else None,
        memlock_bytes=unit.limit_memlock if isinstance(unit.limit_memlock, int) else None,
    )


def host_facts_of(facts: Facts | None, policy: Policy) -> HostFacts:
    """The RAM of a host and what policy keeps of it."""
    reserve = policy.reserve.host_ram
    if facts is None:
        return HostFacts(reserve_bytes=reserve)
    nodes = tuple(gpu.numa_node for gpu in facts.gpus or () if gpu.numa_node is not None)
    sizes = {node.node: node.total_bytes for node in facts.numa or () if node.total_bytes}
    memory = facts.memory
    available = memory.available_bytes
    if available is None and memory.total_bytes is not None:
        available = memory.total_bytes - (memory.hugepages or 0) * (memory.hugepage_bytes or 0)
    return HostFacts(
        total_bytes=memory.total_bytes,
        available_bytes=available,
        assumed=memory.available_bytes is None and available is not None,
        reserve_bytes=reserve,
        numa=nodes,
        numa_bytes=sizes,
    )
