"""Everything there is to say about one host, or about the fleet's own file: read specifications -> final findings.

Pure: what is read comes in, and what a release's schema is comes from the function that the caller gives.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.masking import mask, secret_at, secrets_of, secrets_of_line
from sgfleet.rules.rule import FleetView, HostView, MachineView, Together
from sgfleet.rules.runner import Outcome, run
from sgfleet.rules.shared import content
from sgfleet.rules.weighing import Waived, waive, weigh

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sgfleet.engine.release import Release
    from sgfleet.findings import Finding, Place
    from sgfleet.memory.of_host import HostMemory
    from sgfleet.rules.masking import Secret
    from sgfleet.rules.rule import Stage
    from sgfleet.rules.runner import Crash, Hidden
    from sgfleet.rules.shared import Shared
    from sgfleet.source.document import Document
    from sgfleet.spec.fleet_spec import FleetSpec
    from sgfleet.spec.host_spec import HostSpec
    from sgfleet.spec.resolve import Resolved

_UNRENDERABLE: Final = "RND005"
_MISSING_FLAG: Final = "FLG012"
_OF_FORM: Final = ("FLG", "SRV001", "SRV002", "SRV003")
"""Rules that look at each flag and each GPU by itself. That a flag is missing cannot be said where keys are wrong."""


@dataclass(slots=True)
class Checked:
    """The findings about one host, ready to be shown: weighed, waived, masked, in their order.

    `services` names all services that were read, those that could not be put together too; `unread` says that which
    there are is not known. `host` is None for the fleet's own file.
    """

    host: str | None
    services: tuple[str, ...] = ()
    unread: bool = False
    findings: list[Finding] = field(default_factory=list)
    crashes: list[Crash] = field(default_factory=list)


def check_host(
    spec: HostSpec,
    fleet: FleetSpec,
    release_of: Callable[[str], Release | None],
    today: datetime.date,
    memory: Callable[[], HostMemory] | None = None,
    shared: Shared | None = None,
) -> Checked:
    """Call the rules of every service and of the host, and settle what they say.

    `memory` gives the budgets of the host; without it no rule about memory says anything. `shared` is for a
    caller that checks many hosts, with all other arguments the same.
    """
    policy = fleet.policy
    contents = {} if shared is None else _contents(spec)
    views = Together()
    views |= {
        name: MachineView(
            name,
            each.service,
            policy,
            release_of(each.service.release),
            each.written,
            [] if shared is None else shared.asked(contents[name]["service"]),
            host=spec.name,
            facts=spec.facts,
            memory=memory,
            together=views,
        )
        for name, each in spec.services.items()
    }
    outcome = Outcome()
    for name, view in views.items():
        outcome.add(run(view, spec.services[name].locate, shared, contents.get(name, {})))
    for name, partial in spec.partial.items():
        release = release_of(partial.service.release)
        given = (name, partial.service, policy, release, partial.written)
        outcome.add(_of_form(partial, MachineView(*given, host=spec.name, facts=spec.facts)))
    if spec.document is not None:
        host = HostView(spec.name, views, policy, spec.facts, today, memory, spec.has_facts_file, spec.unresolved)
        outcome.add(run(host, spec.locate, shared, contents.get(None, {})))
    findings = _accepted([*spec.findings, *outcome.findings], spec, views, today)
    documents = (spec.document, spec.facts_document, fleet.document)
    settled = _settled(_once(findings, policy.severity), policy.severity, outcome.secrets, documents)
    # Each view leads to all of them. Let go here, they need no search for cycles, which takes as long as all rules.
    views.kept.clear()
    views.clear()
    return Checked(spec.name, (*spec.services, *spec.unresolved), spec.document is None, settled, outcome.crashes)


def _of_form(partial: Resolved, view: MachineView) -> Outcome:
    """What is wrong with the flags of a service of which nothing else can be said.

    Its waivers hold, and none is called unused: most rules were not asked.
    """
    outcome = run(view, partial.locate, only=_OF_FORM)
    silent = {_MISSING_FLAG, *(waiver.code for waiver in partial.service.waive)}
    outcome.findings = [each for each in outcome.findings if each.code not in silent]
    return outcome


def _contents(spec: HostSpec) -> dict[str | None, dict[Stage, bytes]]:
    """All that the rules of a service, and under None those of the host, may decide from. The host's name is for words.

    Budgets follow from the same: the facts and all services together.
    """
    facts = None
    if spec.facts is not None and spec.facts_document is not None:
        facts = {key: value for key, value in spec.facts_document.data.items() if key != "host"}
    services = {name: content(each.data) for name, each in spec.services.items()}
    whole = content([facts, spec.has_facts_file, services, spec.unresolved])
    found: dict[str | None, dict[Stage, bytes]] = {
        name: {"service": own, "machine": whole} for name, own in services.items()
    }
    return found | {None: {"host": whole}}


def _accepted(
    findings: list[Finding], spec: HostSpec, views: Mapping[str, MachineView], today: datetime.date
) -> list[Finding]:
    """The findings with what the waivers make of them: each service's are looked at once, by its waivers, and those of
    no service by the host's."""
    waiving = [name for name, view in views.items() if view.service.waive]
    if not waiving and not spec.waive:
        return findings
    if spec.waive:
        of_services = {finding.code for finding in findings if finding.service is not None}
        unchecked = () if spec.facts is not None else ("facts of the host",)
        findings = waive(findings, Waived(spec.name, None, spec.waive, spec.locate, unchecked, of_services), today)
    own: dict[str | None, list[Finding]] = {name: [] for name in waiving}
    others: list[Finding] = []
    for finding in findings:
        own.get(finding.service, others).append(finding)
    of_host = {finding.code for finding in others if finding.service is None}
    for name in waiving:
        by = _waived(spec.services[name], views[name])._replace(elsewhere=of_host)
        others += waive(own[name], by, today)
    return others


def _once(findings: list[Finding], severities: Mapping[str, str]) -> list[Finding]:
    """Without what the renderer refuses at a place of which a rule says as an error why.

    A rule that is waived, or that the policy has made less than an error, does not count: no unit comes of it.
    """
    if not any(each.code == _UNRENDERABLE for each in findings):
        return findings
    explained = {  # a service's errors may be tens of thousands: each place above one is looked up, not searched for
        (each.service, each.route[:length])
        for each in weigh(findings, severities)
        if each.severity is Severity.ERROR and each.waived is None and each.code != _UNRENDERABLE
        for length in range(len(each.route) + 1)
    }
    return [each for each in findings if each.code != _UNRENDERABLE or (each.service, each.route) not in explained]


def settle(spec: HostSpec, fleet: FleetSpec, findings: Iterable[Finding]) -> list[Finding]:
    """Findings about one host that no rule made: weighed, masked, in their order."""
    return _settled(list(findings), fleet.policy.severity, (), (spec.document, spec.facts_document, fleet.document))


def check_files(fleet: FleetSpec, found: Iterable[Finding]) -> Checked:
    """What was found about files that belong to no host."""
    return Checked(None, findings=_settled(list(found), fleet.policy.severity, (), (fleet.document,)))


def check_fleet(fleet: FleetSpec, hosts: Mapping[str, tuple[str, ...]]) -> Checked:
    """Call the rules about the fleet as a whole. `hosts` names the services of every host that there is."""
    outcome = run(FleetView(fleet.policy, hosts), fleet.locate)
    settled = _settled(outcome.findings, fleet.policy.severity, outcome.secrets, (fleet.document,))
    return Checked(None, findings=settled, crashes=outcome.crashes)


def _waived(resolved: Resolved, view: MachineView) -> Waived:
    unchecked = []
    if view.release is None:
        unchecked.append(f"the flag schema of {view.service.release}")
    if view.facts is None:
        unchecked.append("facts of the host")
    elif _lacks_budget(view):
        unchecked.append("a memory budget")
    return Waived(view.host, view.name, view.service.waive, resolved.locate, unchecked)


def _lacks_budget(view: MachineView) -> bool:
    """Whether a rule about memory is waived of which nobody could compute anything."""
    if view.memory is None or not any(each.code.startswith("MEM") for each in view.service.waive):
        return False
    from sgfleet.memory.of_host import Unknown

    return isinstance(view.memory().budget(view.name), Unknown)


def _settled(
    findings: Sequence[Finding],
    severities: Mapping[str, str],
    hidden: Sequence[Hidden],
    read: Iterable[Document | None],
) -> list[Finding]:
    """Findings with the policy's severities and without secrets, sorted."""
    weighed = weigh(findings, severities)
    if not weighed:
        return weighed
    documents = {document.path: document for document in read if document is not None}
    secrets: list[Secret] = [
        secret_at(documents[each.path], each.route)
        for each in hidden
        if each.path in documents and documents[each.path].holds(each.route)
    ]
    for path in {place.path for finding in weighed for place in _places(finding)}:
        if path in documents:
            secrets += secrets_of(documents[path])
    for finding in weighed:
        for place in _places(finding):
            if place.path not in documents:
                secrets += secrets_of_line(place)
    return sorted(mask(weighed, secrets), key=lambda finding: finding.order)


def _places(finding: Finding) -> list[Place]:
    return [finding.place, *(place for place, _ in finding.related)]
