"""Nulls of a layer, which take an inherited value away, where there is none to take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sgfleet.findings import Severity
from sgfleet.spec import valid
from sgfleet.spec.merge import idle_nulls

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sgfleet.findings import Finding
    from sgfleet.spec.models.expectation import Hint
    from sgfleet.spec.subject import Subject

IDLE_NULL: Final = "SPC007"


def null_findings(
    subject: Subject, inherited: Mapping[str, Any], names: Mapping[str, str], above: Sequence[str]
) -> list[Finding]:
    """Nulls that take nothing away. `above` are the files that the layer inherits from."""
    found: list[Finding] = []
    for route in idle_nulls(inherited, subject.data, names):
        from sgfleet.spec.models.expectation import target
        from sgfleet.spec.problems import unknown_key

        where = target(subject.model, route, subject.data)
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
        valid.service({**valid.LEAST, "environment": {route[1]: ""}})
    except valid.ValidationError as error:
        from sgfleet.spec.problems import problems

        return problems(error, subject)
    return []


def _near_null(route: Sequence[str], inherited: Mapping[str, Any]) -> str | None:
    """What is inherited under a name that comes near."""
    import difflib

    held = inherited.get(route[0]) if len(route) > 1 else inherited
    near = difflib.get_close_matches(route[-1], held if isinstance(held, dict) else (), n=1, cutoff=0.75)
    return f"did you mean {near[0]}?" if near else None


def _instead_of_null(owner: Hint | None, key: str) -> str:
    field = owner.fields().get(key) if owner else None
    if field is not None and isinstance(field.default, tuple) and field.default:
        return f"write {key}: [] for none, or leave the line out for the default"
    return f"leave {key} out, or give it a value"
