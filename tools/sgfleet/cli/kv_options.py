"""One host of the repository -> the options of its services."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sgfleet.cli.whatif import Trials
from sgfleet.memory.device import NotKnownError
from sgfleet.memory.hardware import cards_words
from sgfleet.memory.host_pools import host_pools
from sgfleet.options.option import ServiceOptions
from sgfleet.options.reload import reload_of, slowest_link
from sgfleet.options.requests import requests_of
from sgfleet.options.situation import capacity_of
from sgfleet.options.survey import survey
from sgfleet.options.trial import situation_of
from sgfleet.rules.bearing import before_memory

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from sgfleet.fleet.workspace import Workspace
    from sgfleet.options.reload import Reload
    from sgfleet.options.situation import Situation
    from sgfleet.spec.host_spec import HostSpec
    from sgfleet.spec.models.facts import Gpu
    from sgfleet.spec.models.service import Service as ServiceSpec


def options_of(workspace: Workspace, spec: HostSpec, wanted: Collection[str] | None) -> list[ServiceOptions]:
    """The options of every service that is wanted (None: of all)."""
    trials = Trials(workspace, spec)
    found = [_service(workspace, trials, spec, name) for name in spec.services if wanted is None or name in wanted]
    found += [
        ServiceOptions(spec.name, name, unknown="its specification has errors", help=f"sgfleet check {spec.name}")
        for name in spec.unresolved
        if wanted is None or name in wanted
    ]
    return found


def _service(workspace: Workspace, trials: Trials, spec: HostSpec, name: str) -> ServiceOptions:
    service = spec.services[name].service
    release = workspace.release(service.release)
    if release is None:
        unknown, help_ = workspace.lacks(service.release)
        return ServiceOptions(spec.name, name, unknown=unknown, help=help_)
    world = trials.world(release)
    errors = before_memory(trials.check_memory(spec), name)
    if errors:
        first, more = errors[0], f" ({len(errors)} such errors)" if len(errors) > 1 else ""
        why = f"check has an error that comes first: {first.code}: {first.message}{more}"
        return ServiceOptions(
            spec.name, name, unknown=why, help=first.help or f"sgfleet check {spec.name}", refused=True
        )
    try:
        now = situation_of(world, spec, name)
    except NotKnownError as error:
        return ServiceOptions(spec.name, name, unknown=str(error), help=error.help)
    options, ruled = survey(world, name, now)
    seen = spec.facts.observed.get(name) if spec.facts is not None else None
    seconds = (seen.load_seconds or seen.load_seconds_at_least) if seen is not None else None
    return ServiceOptions(
        host=spec.name,
        name=name,
        headline=_headline(now, _gpus(spec, service)),
        now=capacity_of(now),
        requests=requests_of(now),
        context_tokens=now.settings.context_length or now.service.load.shape.context_length,
        reload=_reload(spec, service, now),
        options=options,
        ruled=ruled,
        notes=tuple(_notes(spec, service, now, trials)),
        start_seconds=seconds,
        at_least=seen is not None and seen.load_seconds is None,
    )


def _headline(now: Situation, gpus: Sequence[Gpu]) -> str:
    settings, source = now.settings, now.service.load.shape.source
    card = cards_words(gpus, memory=False) if gpus else "GPUs not known"
    ranks = f"{settings.ranks} rank{'s' if settings.ranks > 1 else ''}"
    return f"SGLang {settings.release}, {source.name}, {ranks} on {card}"


def _gpus(spec: HostSpec, service: ServiceSpec) -> list[Gpu]:
    """The GPUs that a service is given, as far as facts tell."""
    gpus = spec.facts.gpus if spec.facts is not None else None
    return [gpu for gpu in gpus or () if service.gpus == "all" or gpu.index in service.gpus]


def _reload(spec: HostSpec, service: ServiceSpec, now: Situation) -> Reload | None:
    """The estimate for the host tier that there is, or that would be."""
    link = slowest_link(_gpus(spec, service))
    if link is None:
        return None
    pools = now.share.rank_pools
    if not pools and now.service.no_host_pool is None:
        from sgfleet.memory.settings import Hicache

        tier = Hicache(ratio=2.0)
        with_tier = replace(now.service, settings=now.settings._replace(hicache=tier))
        pools = host_pools(with_tier.stages[0], tier) if with_tier.no_host_pool is None else ()
    return reload_of(pools, link, now.service.load.shape, now.settings, now.service.hardware.name)


def _notes(spec: HostSpec, service: ServiceSpec, now: Situation, trials: Trials) -> Iterator[str]:
    from sgfleet.findings import Severity

    errors = [
        finding
        for finding in trials.check_memory(spec)
        if finding.severity is Severity.ERROR and finding.waived is None and finding.service in (None, now.service.name)
    ]
    if errors:
        yield f"check has {len(errors)} error{'s' if len(errors) > 1 else ''} as it is: put that right first"
    if slowest_link(_gpus(spec, service)) is None:
        yield "not estimated: time to bring a prefix back from RAM (the GPUs' PCIe links are not known: sgfleet facts)"
    yield from now.budget.notes
