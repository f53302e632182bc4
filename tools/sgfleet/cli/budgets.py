"""One host of the repository -> its memory report, as it is and with a change.

The figures are the budgets'; whether they come out is what `check` says of the same specification.
"""

from __future__ import annotations

import datetime
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from sgfleet.memory.amount import Amount
from sgfleet.memory.hardware import cards_words
from sgfleet.memory.lines import Line, gpu_lines, host_lines
from sgfleet.memory.of_host import HostMemory, Unknown
from sgfleet.memory.units import gib, tokens_within
from sgfleet.memory.unjudged import unjudged
from sgfleet.memory.verdict import Statement, pinning_statement
from sgfleet.memory.window import window_of
from sgfleet.output.memory.report import HostReport, ServiceReport, rows
from sgfleet.rules.bearing import verdict_on, verdict_on_host
from sgfleet.rules.host_check import Checked, check_host

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from sgfleet.cli.change import Change
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.memory.host import HostBudget
    from sgfleet.memory.service import Service
    from sgfleet.spec.host_spec import HostSpec
    from sgfleet.spec.models.service import Service as ServiceSpec
    from sgfleet.spec.resolve import Resolved


class _Sides(NamedTuple):
    """The budgets of a host as it is and as it would be (the same without a change), and what `check` says of that."""

    before: HostMemory
    after: HostMemory
    checked: Checked
    changed: bool


def report_of(workspace: Workspace, spec: HostSpec, wanted: Collection[str] | None, change: Change) -> HostReport:
    """The report of a host. All its services count for its RAM; those that are wanted are shown.

    Raises:
        UsageError: the change names a flag that the release of a wanted service does not have.
    """
    shown = [name for name in spec.services if wanted is None or name in wanted]
    sides = _sides(workspace, spec, shown, change)
    now, then = sides.before.host, sides.after.host
    services = [_report(workspace, spec, sides, name) for name in shown]
    services += [
        ServiceReport(name, "", unknown="its specification has errors", help=f"sgfleet check {spec.name}")
        for name in spec.unresolved
        if wanted is None or name in wanted
    ]
    missing = [*sides.after.uncounted, *spec.unresolved]
    missed = [*sides.before.uncounted, *spec.unresolved]
    has_pools = any(share.rank_pools for share in (*now.shares, *then.shares))
    notes = list(then.notes) if has_pools else []
    if missing and has_pools:
        notes.append(f"not counted: {', '.join(missing)}")
    lost = any(name not in sides.before.uncounted for name in sides.after.uncounted)
    said = verdict_on_host(sides.checked.findings, sides.after)
    return HostReport(
        host=spec.name,
        headline=cards_words((spec.facts.gpus if spec.facts is not None else None) or ()),
        changed=sides.changed,
        services=tuple(services),
        ram=rows(_ram(now, all_=not missed), _ram(then, all_=not missing) if change and not lost else None)
        if has_pools
        else (),
        statements=tuple(each for each in said if not lost or each.weight != "note"),
        notes=tuple(notes),
        unjudged=tuple(f"rule {each.code} of sgfleet broke on {each.subject}" for each in sides.checked.crashes),
    )


def _sides(workspace: Workspace, spec: HostSpec, shown: Iterable[str], change: Change) -> _Sides:
    fleet, own = workspace.repository.fleet, {name: each.service for name, each in spec.services.items()}

    def memory(services: dict[str, ServiceSpec]) -> HostMemory:
        return HostMemory(services, workspace.release, spec.facts, fleet.policy, workspace.root, own)

    before = after = memory(own)
    edited = spec
    if change:
        changed = {name: _changed(workspace, spec.services[name], change) for name in shown}
        edited = replace(spec, services={**spec.services, **changed})
        after = memory({name: each.service for name, each in edited.services.items()})
    today = datetime.datetime.now(datetime.UTC).date()
    checked = check_host(edited, fleet, workspace.release, today, lambda: after)
    return _Sides(before, after, checked, bool(change))


def _changed(workspace: Workspace, resolved: Resolved, change: Change) -> Resolved:
    """A service as it would be."""
    own = resolved.service
    version = change.release or own.release
    release = workspace.release(version)
    flags = dict(own.flags) if release is None else change.applied(own.flags, release)
    return resolved._replace(service=own.model_copy(update={"flags": flags, "release": version}))


def _report(workspace: Workspace, spec: HostSpec, sides: _Sides, name: str) -> ServiceReport:
    said = verdict_on(sides.checked.findings, sides.after, name)
    after, old = _known(sides.after, name), _known(sides.before, name)
    if isinstance(after, Unknown):
        version = sides.after.specification(name).release
        why, help_ = workspace.lacks(version) if after.what == "release" else (after.message, after.help)
        # Notes about memory are those of a budget, and there is none. What is eased or waived is told all the same.
        told_too = (each for each in said if each.weight != "note" or not (each.code or "MEM").startswith("MEM"))
        return ServiceReport(name, "", unknown=why, help=help_, statements=tuple(told_too))
    changed, before = sides.changed, None if isinstance(old, Unknown) else old
    now, then = sides.before.host, sides.after.host
    if after.settings.hicache is not None and (pinning := pinning_statement(after.settings.release)):
        said.append(Statement("note", pinning))
    if changed and before is not None:
        said += _same_tokens(before, after, then)
    open_ = [*unjudged(sides.after, name), *_sharing(spec, sides.after, name)]
    told = {each.text for each in said} | {f"not counted: {each}" for each in open_}
    return ServiceReport(
        name=name,
        headline=_service_headline(after),
        gpu=rows(gpu_lines(before.budget) if before else None, gpu_lines(after.budget) if changed else None),
        host=rows(_host_lines(now, name) if before else None, _host_lines(then, name) if changed else None),
        figures=tuple(_figures(before or after, after, now, then, changed=changed)),
        statements=tuple(said),
        notes=tuple(each for each in after.budget.notes if each not in told),
        unjudged=tuple(open_),
    )


def _known(memory: HostMemory, name: str) -> Service | Unknown:
    """A service with a budget, or why there is none."""
    budget = memory.budget(name)
    return budget if isinstance(budget, Unknown) else memory.service(name)


def _sharing(spec: HostSpec, memory: HostMemory, name: str) -> Iterator[str]:
    """What takes memory of the same GPUs and has no budget: of the others MEM005 knows what is left."""
    own = spec.services[name].service
    for other, there in spec.services.items():
        if other != name and _overlap(own, there.service) and isinstance(memory.budget(other), Unknown):
            yield f"the share of {other} in the same GPUs"
    for other in spec.unresolved:
        yield f"whether {other} takes the same GPUs"


def _overlap(one: ServiceSpec, other: ServiceSpec) -> bool:
    """Whether two services run on the same GPU."""
    if one.gpus == "all" or other.gpus == "all":
        return True
    return not set(one.gpus).isdisjoint(other.gpus)


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
    return tokens_within(budget.tokens, budget.error_tokens)


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


def _ram(budget: HostBudget, *, all_: bool) -> list[Line]:
    """The rows of a host. Where not all its services are counted (`all_`), what is left is a bound."""
    facts = budget.facts
    if facts.available_bytes is None:
        return []
    engine = sum(share.engine_bytes for share in budget.shares)
    left = Amount(budget.left_bytes or 0, "computed")
    processes = f"of it about {gib(engine)} for the engines' own processes"
    return [
        _available(facts.available_bytes, assumed=facts.assumed),
        Line(
            "pinned",
            "host pools",
            budget.pinned_bytes,
            "computed",
            0,
            "of all services" if all_ else "of those that are counted",
        ),
        Line("left", "left", left.bytes, left.origin, 0, processes if all_ else f"at most; {processes}"),
        Line("reserve", "policy wants", facts.reserve_bytes, "computed", 0, "policy.reserve.host-ram"),
    ]


def _available(size: int, *, assumed: bool) -> Line:
    if assumed:
        detail = "all RAM, taken for available: what is free with no service running is not known"
        return Line("available", "available", size, "estimated", 0, detail)
    return Line("available", "available", size, "measured", 0, "with no service running")
