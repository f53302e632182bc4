"""Each layer held against the models on its own, and a service put together from its layers.

A wrong key of fleet.yaml is one finding in fleet.yaml, not one a service. So defaults are looked at once, where they
stand; a service is then validated as a whole, and only when that fails is its own layer looked at alone.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from sgfleet.findings import Severity
from sgfleet.spec.expectation import Hint, target
from sgfleet.spec.merge import BY_KEY, idle_nulls, merge
from sgfleet.spec.problems import WRONG_TYPE, Subject, missing_key, problems, unknown_key
from sgfleet.spec.resolve import Layer, Resolved
from sgfleet.spec.service import Service

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sgfleet.findings import Finding

WAIVER_IN_DEFAULTS: Final = "SPC006"
IDLE_NULL: Final = "SPC007"

_REQUIRED: Final = {"release": "0.0.0", "python": "/"}
"""Stands in for what a single layer need not say."""


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
        Service.model_validate({**_REQUIRED, **merge({}, data, {})})
    except ValidationError as error:
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


def null_findings(
    subject: Subject, inherited: Mapping[str, Any], names: Mapping[str, str], above: Sequence[str]
) -> list[Finding]:
    """Nulls that take nothing away. `above` are the files that the layer inherits from."""
    found = []
    for route in idle_nulls(inherited, subject.data, names):
        where = target(Service, route, subject.data)
        if where.hint is None:
            found.append(unknown_key(subject, where.route, where.owner))
            continue
        if wrong := _misnamed(subject, route):
            found += wrong
            continue
        name = ".".join(route)
        message = f"{name}: null removes an inherited value, and none is inherited"
        found.append(
            subject.finding(
                IDLE_NULL,
                route,
                message,
                _near_null(route, inherited) or _instead_of_null(where.owner, route[-1]),
                part="key",
                severity=Severity.WARNING,
                based_on=tuple(above),
            )
        )
    return found


def _misnamed(subject: Subject, route: Sequence[str]) -> list[Finding]:
    """A name that no variable can have holds nothing that a null could take away, and no value in its place."""
    if len(route) != len(("environment", "NAME")) or route[0] != "environment":
        return []
    try:
        Service.model_validate({**_REQUIRED, "environment": {route[1]: ""}})
    except ValidationError as error:
        return problems(error, subject)
    return []


def _near_null(route: Sequence[str], inherited: Mapping[str, Any]) -> str | None:
    """What is inherited under a name that comes near."""
    held = inherited.get(route[0]) if len(route) > 1 else inherited
    near = difflib.get_close_matches(route[-1], held if isinstance(held, dict) else (), n=1, cutoff=0.75)
    return f"did you mean {near[0]}?" if near else None


def _instead_of_null(owner: Hint | None, key: str) -> str:
    field = owner.fields().get(key) if owner else None
    if field is not None and isinstance(field.default, tuple) and field.default:
        return f"write {key}: [] for none, or leave the line out for the default"
    return f"leave {key} out, or give it a value"


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
        service = Service.model_validate(data)
    except ValidationError as error:
        why = _why(error, subject, inherited)
        places = {each.place for each in why}  # a null in place of what is required is one finding, not two
        return None, [*(each for each in found if each.place not in places), *why]
    return Resolved(str(subject.host), str(subject.service), service, (own, *inherited), names, data), found


def own_findings(subject: Subject) -> list[Finding]:
    """What is wrong with a service's own layer, when what it inherits cannot be used."""
    return _alone(subject, subject.data)


def _why(error: ValidationError, subject: Subject, inherited: Sequence[Layer]) -> list[Finding]:
    """The defaults are right by themselves: what is wrong is the service's own, or is missing everywhere."""
    found = _alone(subject, subject.data)
    for each in error.errors(include_url=False, include_input=False):
        route = each["loc"]
        if each["type"] == "missing" and len(route) == 1:
            where = target(Service, route, subject.data)
            if where.hint is not None:
                found.append(missing_key(subject, where.route, where.hint, _files([*inherited])))
    return found or problems(error, subject)


def _files(layers: Sequence[Layer]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(layer.document.path for layer in layers))


def _has_null(data: Mapping[str, Any]) -> bool:
    return any(
        value is None or (key in BY_KEY and isinstance(value, dict) and None in value.values())
        for key, value in data.items()
    )
