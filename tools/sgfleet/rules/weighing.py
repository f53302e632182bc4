"""What the fleet's policy and the services' waivers make of findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.findings import Finding, Severity
from sgfleet.rules.registry import called

if TYPE_CHECKING:
    import datetime
    from collections.abc import Mapping, Sequence, Set

    from sgfleet.rules.runner import Locate
    from sgfleet.spec.models.service import Waiver


def waivable(code: str) -> bool:
    """Whether a specification may accept findings of this rule."""
    rule = called().get(code)
    return rule is not None and rule.waivable


def weigh(findings: Sequence[Finding], severities: Mapping[str, str]) -> list[Finding]:
    """The findings with the policy's severities; those that are `off` are gone.

    An error that cannot be waived stays one: behind an unreadable file nothing was checked.
    """
    if not severities:
        return list(findings)
    weighed = []
    for finding in findings:
        wanted = severities.get(finding.code)
        if wanted is None or (finding.severity is Severity.ERROR and not waivable(finding.code)):
            weighed.append(finding)
        elif wanted != "off":
            weighed.append(finding._replace(severity=Severity(wanted)))
    return weighed


class Waived(NamedTuple):
    """Whose waivers are applied, and what was not known of it: a service, or None for what belongs to no service.

    `unchecked` are words such as "its facts" or "the flag schema of 0.5.9": where there are any, a waiver may look
    unused because its rule had nothing to decide from. `elsewhere` are the codes of findings that such a waiver does
    not reach: of a service's those of the host as a whole, and the other way round.
    """

    host: str
    service: str | None
    waivers: Sequence[Waiver]
    locate: Locate
    unchecked: Sequence[str] = ()
    elsewhere: Set[str] = frozenset()


def waive(findings: Sequence[Finding], by: Waived, today: datetime.date) -> list[Finding]:
    """The findings of one host: those that a waiver accepts are marked, and misfits among the waivers are findings of
    their own."""
    if not by.waivers:
        return list(findings)
    valid: dict[str, Waiver] = {}
    for waiver in by.waivers:
        if waivable(waiver.code) and not _expired(waiver, today):
            valid.setdefault(waiver.code, waiver)
    met = {finding.code for finding in findings if finding.service == by.service}
    marked = [
        finding._replace(waived=valid[finding.code].reason)
        if finding.service == by.service and finding.code in valid
        else finding
        for finding in findings
    ]
    taken = set[str]()
    behind = {finding.code: finding.severity for finding in sorted(findings, key=lambda each: -each.severity.rank)}
    for index, waiver in enumerate(by.waivers):
        there = _There(met - taken, taken, behind)
        if found := _misfit(waiver, index, by, there, today):
            marked.append(found)
        elif valid.get(waiver.code) is waiver:
            taken.add(waiver.code)
    return marked


def _expired(waiver: Waiver, today: datetime.date) -> bool:
    return waiver.until is not None and waiver.until < today


class _There(NamedTuple):
    """The codes of the findings that a waiver may accept, of those that an earlier one has accepted, and the gravest
    severity of each that there is."""

    met: Set[str]
    taken: Set[str]
    all: Mapping[str, Severity]


def _misfit(waiver: Waiver, index: int, by: Waived, there: _There, today: datetime.date) -> Finding | None:
    """What is wrong with one waiver."""
    code, severity, key = "WVR001", Severity.WARNING, "code"
    help_: str | None = f"remove the waiver of {waiver.code}"
    evidence = f"the findings of {by.host}" if by.service is None else f"the findings of {by.host}/{by.service}"
    if not waivable(waiver.code):
        code, severity = "WVR003", Severity.ERROR
        message, help_ = _not_waivable(waiver.code, there.all.get(waiver.code))
        evidence = "the rules of this version"
    elif waiver.code in there.met and _expired(waiver, today):
        code, key, evidence = "WVR002", "until", f"today's date, {today} (UTC)"
        message = f"the waiver of {waiver.code} has expired: its last day was {waiver.until}"
        help_ = f"put the cause of {waiver.code} right, or give a new day and the reason for it"
    elif waiver.code in there.met:
        return None
    elif waiver.code in there.taken:
        message = f"{waiver.code} is waived already by the entry above"
        help_ = f"remove this second waiver of {waiver.code}"
    elif waiver.code in by.elsewhere and by.service is not None:
        message = f"{waiver.code} is a finding of the host {by.host} and not of this service"
        help_ = f"move the waiver to `waive:` of hosts/{by.host}/host.yaml itself, beside `services:`"
        evidence = f"the findings of {by.host}"
    elif waiver.code in by.elsewhere:
        message = f"{waiver.code} is a finding of a service of {by.host} and not of the host as a whole"
        help_ = "move the waiver to `waive:` of that service"
    elif by.unchecked:
        severity = Severity.NOTE
        message = (
            f"the waiver of {waiver.code} matches nothing that could be checked without {' and '.join(by.unchecked)}"
        )
        help_ = None
    else:
        whose = "this service" if by.service is not None else "the host as a whole"
        message = f"the waiver of {waiver.code} matches no finding of {whose}"
    place, route = by.locate(("waive", index, key), "value")
    return Finding(code, severity, message, place, by.host, by.service, help=help_, based_on=(evidence,), route=route)


_HIDING: Final = ("source", "spec", "schema", "render")
"""Stages whose errors keep rules from looking at anything."""


def _not_waivable(code: str, there: Severity | None = None) -> tuple[str, str | None]:
    """Message and help for a code that accepts nothing; `there` is how grave such a finding is, where there is one.

    Only here are all pages of the manual read. That there is no such finding cannot be said: that of a file that
    belongs to no service is not known here.
    """
    from difflib import get_close_matches

    from sgfleet.rules.registry import entries

    if entry := entries().get(code):
        help_ = f"remove the waiver: the cause of {code} is to be put right, where there is one"
        if there is not None:
            help_ = f"put the cause of {code} right, and remove the waiver"
        if there is Severity.ERROR and entry.rule.stage in _HIDING:
            help_ += "; what is behind it was not checked"
        return f"{code} ({entry.rule.name}) cannot be waived", help_
    near = get_close_matches(code, [known for known in entries() if waivable(known)], n=3)
    return (
        f"there is no rule {code}",
        f"did you mean {' or '.join(near)}?" if near else "sgfleet explain lists all rules",
    )


def misfits(severities: Mapping[str, str], locate: Locate) -> list[Finding]:
    """What is to be said about `policy: {severity: }` of fleet.yaml."""
    if all(waivable(code) and wanted != "off" for code, wanted in severities.items()):
        return []
    from sgfleet.rules.registry import entries

    found = []
    for code, wanted in severities.items():
        entry = entries().get(code)
        place, route = locate(("policy", "severity", code), "key")
        based_on = ("the rules of this version",)
        if entry is not None and (waivable(code) or entry.rule.severity is not Severity.ERROR):
            if wanted == "off":
                message = f"{code} ({entry.rule.name}) is off for the whole fleet: what it finds is not said"
                found.append(Finding("WVR005", Severity.NOTE, message, place, based_on=based_on, route=route))
            continue
        if entry is None:
            message, help_ = _not_waivable(code)
        elif wanted == entry.rule.severity:
            continue
        else:
            message = f"{code} ({entry.rule.name}) stays an error"
            if entry.rule.stage in _HIDING:
                message += ": what is behind such a finding is not checked"
            help_ = f"remove {code} from the policy"
        found.append(Finding("WVR004", Severity.ERROR, message, place, help=help_, based_on=based_on, route=route))
    return found
