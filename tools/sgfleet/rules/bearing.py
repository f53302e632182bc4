"""Findings on which a verdict about memory rests: who says that a service fits has to have looked at them.

A budget is arithmetic about ranks that start, each on a GPU of its own. Whatever `check` says against that comes before
the figures; and what it says of the memory itself is the verdict, so that no other command can come to another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sgfleet.findings import Finding
    from sgfleet.memory.of_host import HostMemory
    from sgfleet.memory.verdict import Statement

_MEMORY: Final = "MEM"
_OPEN: Final = "MEM030"
"""What was not checked: `memory.unjudged` says it, and which part of it may decide."""
_FLAGS: Final = ("FLG", "CMB")
"""Errors of these: the release refuses to start with such flags, or reads something else than was meant."""
_FACTS: Final = "FCT"
"""Errors of these: what the budgets start from cannot be."""
_NO_MATTER: Final = frozenset({"FLG015", "FCT004"})
"""Of all these: where a secret stands, which the engine does not mind, and which interpreter has which release."""
_PLACES: Final = frozenset({"SRV001", "SRV002", "SRV003", "SRV004", "HST002"})
"""Ranks without a GPU, or without one of their own."""
_AMOUNTS: Final = frozenset(
    {
        *("MEM001", "MEM002", "MEM003", "MEM004", "MEM005"),
        *("MEM010", "MEM011", "MEM012", "MEM013", "MEM014", "MEM015", "MEM016", "MEM018", "MEM032"),
        *("MEM020", "MEM027"),
    }
)
"""Of rules about memory: too much or too little of it, which other settings may put right. (MEM020 and MEM027 are about
shapes and a draft, and `options` knows ways round them: attention groups, no draft.)
"""
_NATURES: Final = frozenset(
    {
        *("MEM017", "MEM021", "MEM022", "MEM023", "MEM024"),
        *("MEM025", "MEM026", "MEM028", "MEM029", "MEM031"),
    }
)
"""Of rules about memory: what the release refuses for what model and GPU are, whatever amounts there are of anything:
shapes that ranks do not divide, kernels and host pools that there are not, limits of the model. Such a service does not
start, so no figure about it is worth much.
"""
_RAM: Final = frozenset({"MEM010", "MEM011"})
"""The RAM of all services together."""


def bears(finding: Finding) -> bool:
    """Whether a verdict about memory rests on it. Of what is no rule about memory only errors do."""
    code = finding.code
    if code.startswith(_MEMORY):
        return code != _OPEN
    if finding.severity is not Severity.ERROR:
        return False
    return code in _PLACES or (code.startswith((*_FLAGS, _FACTS)) and code not in _NO_MATTER)


def before_memory(findings: Iterable[Finding], name: str) -> list[Finding]:
    """Errors of a service that no change of its memory puts right: they come first, and no figure is worth much."""
    found = (each for each in bearing_on(findings, name) if each.severity is Severity.ERROR and each.waived is None)
    return [each for each in found if comes_first(each.code)]


def comes_first(code: str) -> bool:
    """Whether an error of this code, on which a verdict about memory rests, is about something else than amounts."""
    return code in _NATURES or not code.startswith(_MEMORY)


def bearing_on(findings: Iterable[Finding], name: str) -> list[Finding]:
    """Those of one service, the gravest first and of these what comes before memory: its own, and those that it has
    with another one on the same GPU.
    """
    found = [
        each
        for each in findings
        if bears(each) and not _is_of_host(each) and (each.service == name or name in _others(each))
    ]
    return sorted(found, key=lambda each: (each.severity.rank, not comes_first(each.code), each.code))


def bearing_on_host(findings: Iterable[Finding]) -> list[Finding]:
    """Those of the host as a whole."""
    return sorted((each for each in findings if bears(each) and _is_of_host(each)), key=lambda each: each.order)


def _is_of_host(finding: Finding) -> bool:
    return finding.code in _RAM or finding.code.startswith(_FACTS)


def _others(finding: Finding) -> list[str]:
    """The other services that a finding of the host names; behind a comma there is what they have in common."""
    return [words.partition(",")[0] for _, words in finding.related]


def verdict_on(findings: Iterable[Finding], memory: HostMemory, name: str) -> list[Statement]:
    """What there is to say about the memory of a service: what `check` says, and the remarks of its budget.

    Where the rules lack what they need of the machine, the budget speaks for itself.
    """
    from sgfleet.memory.of_host import Unknown
    from sgfleet.memory.verdict import gpu_remarks, gpu_statements, share_statements

    findings = list(findings)
    said = list(_said(bearing_on(findings, name)))
    said += _said(_as_weighed(bearing_on(_eased(findings, memory.severities), name), memory.severities))
    service, share = memory.service(name), memory.share(name)
    if isinstance(service, Unknown) or share is None:
        return said
    said += gpu_remarks(service) if memory.has_gpus else gpu_statements(service)
    return said + [each for each in share_statements(share) if each.weight == "note" or not memory.has_gpus]


def verdict_on_host(findings: Iterable[Finding], memory: HostMemory) -> list[Statement]:
    """The same of the host as a whole: its RAM above all."""
    from sgfleet.memory.verdict import ram_statements

    findings = list(findings)
    said = list(_said(bearing_on_host(findings)))
    said += _said(_as_weighed(bearing_on_host(_eased(findings, memory.severities)), memory.severities))
    return said + [each for each in ram_statements(memory.host) if each.weight == "note" or not memory.has_gpus]


def _eased(findings: Iterable[Finding], severities: Mapping[str, str]) -> list[Finding]:
    """Of what is no rule about memory that which only the policy has made less than an error, as the error it was.

    What the policy eases is told, as what is waived is: it must not look as if nobody had found it.
    """
    if not severities:
        return []
    from sgfleet.rules.registry import called

    errors = {code for code in severities if code in called() and called()[code].severity is Severity.ERROR}
    return [
        each._replace(severity=Severity.ERROR)
        for each in findings
        if each.code in errors and each.severity is not Severity.ERROR and not each.code.startswith(_MEMORY)
    ]


def _as_weighed(findings: Iterable[Finding], severities: Mapping[str, str]) -> list[Finding]:
    return [each._replace(severity=Severity(severities[each.code])) for each in findings]


def _said(findings: Iterable[Finding]) -> Iterator[Statement]:
    """Findings as statements. What is waived is told and counts for nothing."""
    from sgfleet.memory.verdict import Statement

    for each in findings:
        if each.waived is not None:
            yield Statement("note", f"{each.message} (waived: {each.waived})", code=each.code)
        elif each.severity is Severity.NOTE:
            yield Statement("note", each.message, code=each.code)
        elif each.severity is Severity.ERROR:
            yield Statement("error", each.message, each.help, each.code, each.arithmetic)
        else:
            yield Statement("warning", each.message, each.help, each.code, each.arithmetic)
