"""Each layer held against the models on its own, and a service put together from its layers.

A wrong key of fleet.yaml is one finding in fleet.yaml, not one a service. So defaults are looked at once, where they
stand; a service is then validated as a whole, and only when that fails is its own layer looked at alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sgfleet.findings import Severity
from sgfleet.spec import valid
from sgfleet.spec.merge import BY_KEY, merge
from sgfleet.spec.nulls import null_findings
from sgfleet.spec.resolve import Layer, Resolved
from sgfleet.spec.subject import WRONG_TYPE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sgfleet.findings import Finding
    from sgfleet.spec.subject import Subject

WAIVER_IN_DEFAULTS: Final = "SPC006"


def defaults_findings(subject: Subject) -> list[Finding]:
    """What is wrong with the `defaults:` of a fleet or host by themselves."""
    found = []
    data = subject.data
    if "waive" in data:
        message = "defaults cannot waive findings: a waiver is the decision about one service"
        help_ = "move it to the services that it was written for; policy: {severity: } in fleet.yaml is for all of them"
        found.append(subject.finding(WAIVER_IN_DEFAULTS, ("waive",), message, help_, part="key"))
        data = {key: value for key, value in data.items() if key != "waive"}
    return [*found, *_alone(subject, data)]


def _alone(subject: Subject, data: Mapping[str, Any]) -> list[Finding]:
    """Hold one layer against the model of a service, with nothing required and nulls allowed."""
    found = spelling_findings(subject)
    try:
        valid.service({**valid.LEAST, **merge({}, data, {})})
    except valid.ValidationError as error:
        from sgfleet.spec.problems import problems

        found += problems(error, subject)
    return found


def spelling_findings(subject: Subject) -> list[Finding]:
    """Numbers under `environment:` that are not written as a variable would get them: 010 is 10, and 0x10 is 16.

    A variable is text, and the process must get the characters that stand in the file.
    """
    variables = subject.data.get("environment")
    if not subject.document.respelled or not isinstance(variables, dict):
        return []
    found = []
    for name, value in variables.items():
        route = ("environment", name)
        written = subject.document.source_text((*subject.route, *route))
        if isinstance(value, int) and not isinstance(value, bool) and written is not None and written != str(value):
            message = f"environment.{name}: {written} is read as the number {value}, and a variable is text"
            found.append(subject.finding(WRONG_TYPE, route, message, f'put it in quotes: "{written}"'))
    return found


def resolve_service(
    subject: Subject, inherited: Sequence[Layer], base: Mapping[str, Any], names: Mapping[str, str]
) -> tuple[Resolved | None, list[Finding]]:
    """Put a service over what it inherits. `base` is what the inherited layers, nearest first, have come to.

    Without a service, findings say why.
    """
    own = Layer(subject.document, subject.route, subject.data)
    found = null_findings(subject, base, names, _files(inherited)) if _has_null(subject.data) else []
    if any(each.severity is Severity.ERROR for each in found):
        return None, found
    if spelling_findings(subject):
        return None, [*found, *_alone(subject, subject.data)]
    data = merge(base, subject.data, names)
    try:
        service = valid.service(data)
    except valid.ValidationError as error:
        why = _why(error, subject, inherited)
        places = {each.place for each in why}  # a null in place of what is required is one finding, not two
        return None, [*(each for each in found if each.place not in places), *why]
    return Resolved(str(subject.host), str(subject.service), service, (own, *inherited), names, data), found


def own_findings(subject: Subject) -> list[Finding]:
    """What is wrong with a service's own layer, when what it inherits cannot be used."""
    return _alone(subject, subject.data)


def _why(error: valid.ValidationError, subject: Subject, inherited: Sequence[Layer]) -> list[Finding]:
    """The defaults are right by themselves: what is wrong is the service's own, or is missing everywhere."""
    from sgfleet.spec.models.expectation import target
    from sgfleet.spec.problems import meant, missing_key, problems

    found = _alone(subject, subject.data)
    taken = meant(error, subject)
    for each in error.errors(include_url=False, include_input=False):
        route = each["loc"]
        if each["type"] == "missing" and len(route) == 1:
            where = target(subject.model, route, subject.data)
            if where.hint is not None and where.route not in taken:
                found.append(missing_key(subject, where.route, where.hint, _files([*inherited])))
    return found or problems(error, subject)


def _files(layers: Sequence[Layer]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(layer.document.path for layer in layers))


def _has_null(data: Mapping[str, Any]) -> bool:
    return any(
        value is None or (key in BY_KEY and isinstance(value, dict) and None in value.values())
        for key, value in data.items()
    )
