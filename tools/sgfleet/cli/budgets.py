"""One host of the repository -> its memory report, as it is and with a change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sgfleet.engine.argv.values import check_value
from sgfleet.memory.amount import Amount
from sgfleet.memory.assemble import host_facts_of, service_of
from sgfleet.memory.device import NotKnownError
from sgfleet.memory.host import HostBudget, host_budget
from sgfleet.memory.lines import Line, gpu_lines, host_lines
from sgfleet.memory.units import gib
from sgfleet.memory.verdict import Statement, gpu_statements, pinning_statement, ram_statements, share_statements
from sgfleet.memory.window import window_of
from sgfleet.output.memory.report import HostReport, ServiceReport, rows

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from sgfleet.cli.change import Change
    from sgfleet.engine.release import Release
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.memory.service import Service
    from sgfleet.spec.host_spec import HostSpec
    from sgfleet.spec.models.service import Service as ServiceSpec
    from sgfleet.spec.resolve import Resolved


@dataclass(frozen=True, slots=True)
class _Unknown:
    """A service without a budget."""

    message: str
    help: str | None = None


def report_of(workspace: Workspace, spec: HostSpec, wanted: Collection[str] | None, change: Change) -> HostReport:
    """The report of a host. All its services count for its RAM; those that are wanted are shown.

    Raises:
        UsageError: the change names a flag that the release of a wanted service does not have.
    """
    before: dict[str, Service | _Unknown] = {}
    after: dict[str, Service | _Unknown] = {}
    for name, resolved in spec.services.items():
        before[name] = _service(workspace, spec, name, resolved, None)
        meant = wanted is None or name in wanted
        after[name] = _service(workspace, spec, name, resolved, change if meant and change else None)
    facts = host_facts_of(spec.facts, workspace.repository.fleet.policy)
    now, then = (
        host_budget([service for service in side.values() if not isinstance(service, _Unknown)], facts)
        for side in (before, after)
    )
    shown = [name for name in spec.services if wanted is None or name in wanted]
    services = [
        _report(name, before[name], after[name], now, then, _beside(workspace, spec, name, change)) for name in shown
    ]
    services += [
        ServiceReport(name, "", unknown="its specification has errors", help=f"sgfleet check {spec.name}")
        for name in spec.unresolved
        if wanted is None or name in wanted
    ]
    missing = [name for name in after if isinstance(after[name], _Unknown)] + list(spec.unresolved)
    has_pools = any(share.rank_pools for share in (*now.shares, *then.shares))
    notes = list(then.notes) if has_pools else []
    if missing and has_pools:
        notes.append(f"not counted: {', '.join(missing)}")
    lost = any(isinstance(after[name], _Unknown) and not isinstance(before[name], _Unknown) for name in after)
    return HostReport(
        host=spec.name,
        headline=_headline(spec),
        changed=bool(change),
        services=tuple(services),
        ram=rows(_ram(now), _ram(then) if change and not lost else None) if has_pools else (),
        statements=() if lost else tuple(ram_statements(then)),
        notes=tuple(notes),
    )


def _service(
    workspace: Workspace, spec: HostSpec, name: str, resolved: Resolved, change: Change | None
) -> Service | _Unknown:
    version = (change.release if change is not None else None) or resolved.service.release
    release = workspace.release(version)
    if release is None:
        return _Unknown(*workspace.lacks(version))
    flags: dict[str, Any] = dict(resolved.service.flags)
    if change is not None:
        flags = change.applied(flags, release)
    try:
        service = service_of(name, resolved.service, release, spec.facts, workspace.root, flags)
        service.budget  # noqa: B018 - what cannot be known is to be said here
    except NotKnownError as error:
        return _Unknown(str(error), error.help)
    return service


@dataclass(frozen=True, slots=True)
class _Beside:
    """What a service's report says beside its budgets."""

    changed: bool
    notes: tuple[str, ...]


def _beside(workspace: Workspace, spec: HostSpec, name: str, change: Change) -> _Beside:
    service = spec.services[name].service
    notes = []
    sharing = [other for other, there in spec.services.items() if other != name and _overlap(service, there.service)]
    if sharing:
        notes.append(f"not counted: the share of {' and '.join(sharing)} in the same GPUs")
    release = workspace.release(change.release or service.release)
    if release is not None:
        notes += _passed_over(service.flags, release)
    return _Beside(bool(change), tuple(notes))


def _passed_over(flags: Mapping[str, Any], release: Release) -> Iterator[str]:
    """Flags of the repository that a release cannot have meant: `sgfleet check` says more of them."""
    unknown = sorted(flag for flag in flags if flag not in release.by_name)
    if unknown:
        yield f"SGLang {release.version} has no flag {', '.join(unknown)}: passed over"
    known = [(flag, release.by_name[flag]) for flag in sorted(flags) if flag in release.by_name]
    refused = [name for name, flag in known if check_value(flag, flags[name], name) is not None]
    if refused:
        yield f"SGLang {release.version} does not take these flags as they are set: {', '.join(refused)}: passed over"


def _overlap(one: ServiceSpec, other: ServiceSpec) -> bool:
    """Whether two services run on the same GPU."""
    if one.gpus == "all" or other.gpus == "all":
        return True
    return not set(one.gpus).isdisjoint(other.gpus)


def _headline(spec: HostSpec) -> str:
    gpus = spec.facts.gpus if spec.facts is not None else None
    if not gpus:
        return "nothing is known of its GPUs"
    names = {gpu.name for gpu in gpus}
    memory = min((gpu.memory_mib for gpu in gpus if gpu.memory_mib), default=None)
    each = f", {memory:,} MiB each" if memory else ""
    if divided := [str(gpu.index) for gpu in gpus if gpu.mig]:
        each += f", GPU {' and '.join(divided)} divided by MIG"
    return f"{len(gpus)} × {' and '.join(sorted(names))}{each}"


def _report(
    name: str,
    before: Service | _Unknown,
    after: Service | _Unknown,
    now: HostBudget,
    then: HostBudget,
    beside: _Beside,
) -> ServiceReport:
    if isinstance(after, _Unknown):
        return ServiceReport(name, "", unknown=after.message, help=after.help)
    changed, old = beside.changed, None if isinstance(before, _Unknown) else before
    statements = [*gpu_statements(after)]
    statements += [each for share in then.shares if share.name == name for each in share_statements(share)]
    if after.settings.hicache is not None and (said := pinning_statement(after.settings.release)):
        statements.append(Statement("note", said))
    if changed and old is not None:
        statements += _same_tokens(old, after, then)
    told = {each.text for each in statements}
    return ServiceReport(
        name=name,
        headline=_service_headline(after),
        gpu=rows(gpu_lines(old.budget) if old else None, gpu_lines(after.budget) if changed else None),
        host=rows(_host_lines(now, name) if old else None, _host_lines(then, name) if changed else None),
        figures=tuple(_figures(old or after, after, now, then, changed=changed)),
        statements=tuple(statements),
        notes=(*(each for each in after.budget.notes if each not in told), *beside.notes),
    )


def _service_headline(service: Service) -> str:
    source = service.load.shape.source
    model = source.name if source.match == "exact" else f"{source.asked} (read as {source.name})"
    settings = service.settings
    parts = [f"SGLang {settings.release}", model, f"{settings.ranks} rank{'s' if settings.ranks > 1 else ''}"]
    if settings.speculative is not None:
        parts.append(settings.speculative.algorithm)
    return ", ".join(parts)


def _figures(
    before: Service, after: Service, now: HostBudget, then: HostBudget, *, changed: bool
) -> list[tuple[str, str, str | None]]:
    found = []
    for label, of in (
        ("KV tokens", _tokens),
        ("memory fraction", _fraction),
        ("fractions that work", _window),
    ):
        found.append((label, of(before), of(after) if changed else None))
    ratio = _ratio(then, after.name)
    if ratio is not None:
        found.append(("HiCache ratio", _ratio(now, before.name) or "none", ratio if changed else None))
    return found


def _tokens(service: Service) -> str:
    budget = service.budget
    if budget.measured_tokens:
        return f"{budget.tokens:,} (measured)"
    return f"{budget.tokens:,}" + (f" ± {budget.error_tokens:,}" if budget.error_tokens else "")


def _fraction(service: Service) -> str:
    fraction = service.budget.fraction
    if fraction.asked:
        return f"{fraction.value:.3f}"
    reserve = f", {fraction.reserve_mib:,.0f} MiB reserved" if fraction.reserve_mib is not None else ""
    factor = f", times {fraction.factor:.3f} for pictures" if fraction.factor != 1 else ""
    return f"{fraction.value:.3f} (default{reserve}{factor})"


def _window(service: Service) -> str:
    window = window_of(service.budget)
    if window.is_empty:
        return "none"
    return f"{window.low:.3f} ± {window.low_error:.3f} to {window.high:.3f} ± {window.high_error:.3f}"


def _ratio(budget: HostBudget, name: str) -> str | None:
    share = next((share for share in budget.shares if share.name == name), None)
    if share is None or share.ratio is None:
        return None
    return f"{share.ratio:.2f}{' (chosen by the engine)' if share.chosen else ''}"


def _host_lines(budget: HostBudget, name: str) -> list[Line]:
    return [line for share in budget.shares if share.name == name for line in host_lines(share)]


def _same_tokens(before: Service, after: Service, then: HostBudget) -> list[Statement]:
    """What the host tier would come to with the pool that was seen, where another release changes the pool."""
    settings = after.settings
    if settings.hicache is None or not before.budget.measured_tokens:
        return []
    if before.settings.release == settings.release or before.budget.tokens == after.budget.tokens:
        return []
    from sgfleet.memory.seen import ratios_with_tokens

    ratios = ratios_with_tokens(after, before.budget.tokens, then)
    if ratios is None or ratios.engine is None:
        return []
    text = f"with the {before.budget.tokens:,} KV tokens of today the largest ratio is {ratios.engine:.2f} in any order"
    return [Statement("note", text)]


def _ram(budget: HostBudget) -> list[Line]:
    facts = budget.facts
    if facts.available_bytes is None:
        return []
    engine = sum(share.engine_bytes for share in budget.shares)
    left = Amount(budget.left_bytes or 0, "computed")
    return [
        Line("available", "available", facts.available_bytes, "measured", 0, "with no service running"),
        Line("pinned", "host pools", budget.pinned_bytes, "computed", 0, "of all services"),
        Line("left", "left", left.bytes, left.origin, 0, f"of it about {gib(engine)} for the engines' own processes"),
        Line("reserve", "policy wants", facts.reserve_bytes, "computed", 0, "policy.reserve.host-ram"),
    ]
