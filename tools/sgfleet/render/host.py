"""All services of a host -> their units, or why one has none."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sgfleet.engine.damage import lack
from sgfleet.findings import Finding, Severity
from sgfleet.render.bodies import keep_body, kept_body
from sgfleet.render.command import command_of
from sgfleet.render.unit import body_of, origin_of, unit_of
from sgfleet.render.unquotable import Unquotable

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgfleet.engine.release import Release
    from sgfleet.spec.host_spec import HostSpec
    from sgfleet.spec.resolve import Resolved

UNRENDERABLE: Final = "RND005"


@dataclass(slots=True)
class Rendered:
    """`units`: service -> text. `known` are all services of the host, those included that have no unit."""

    units: dict[str, str] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)


def render_host(
    spec: HostSpec,
    release_of: Callable[[str], Release | None],
    lacks_of: Callable[[str], tuple[str, str]] = lack,
) -> Rendered:
    """Render what can be rendered.

    `release_of` gives the flags of a release, None where this tool has none; `lacks_of` says why then, and what to do.
    """
    rendered = Rendered(known={*spec.services, *spec.unresolved})
    for name, resolved in spec.services.items():
        version = resolved.service.release
        unit = render_service(spec.name, resolved, release_of(version), lacks_of)
        if isinstance(unit, str):
            rendered.units[name] = unit
        else:
            rendered.findings += unit
    return rendered


def render_service(
    host: str,
    resolved: Resolved,
    release: Release | None,
    lacks_of: Callable[[str], tuple[str, str]] = lack,
) -> str | list[Finding]:
    """The unit of one service, or everything that keeps it from having one."""
    name, service = resolved.name, resolved.service
    if release is None:
        why, help_ = lacks_of(service.release)
        return [_finding(resolved, ("release",), f"{name} cannot be rendered: {why}", help_)]
    texts = _texts(resolved)
    body = kept_body(service, release, texts)
    if body is not None:
        with contextlib.suppress(Unquotable):  # what keeps it from having a unit is worked out below
            return unit_of(host, name, service, body)
    command = command_of(service, release, texts)
    if command.obstacles:
        return [
            _finding(resolved, each.route, f"{name} cannot be rendered: {each.message}", each.help, each.key)
            for each in command.obstacles
        ]
    try:
        body = body_of(service, command.groups)
        unit = unit_of(host, name, service, body)
    except Unquotable as error:
        route = origin_of(error, service, command.groups)
        return [_finding(resolved, route, f"{name} cannot be rendered: {error.reason}", error.help)]
    keep_body(service, release, texts, body)
    return unit


def _texts(resolved: Resolved) -> dict[str, str]:
    """Flag -> its scalar as it is written, where it is a number: `4.00` stays `4.00`."""
    texts: dict[str, str] = {}
    if not any(layer.document.respelled for layer in resolved.layers):
        return texts  # Python prints every number as it is written, and no document has to look up its places
    for name, value in resolved.service.flags.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            origin = resolved.origin(("flags", name))
            written = origin.document.source_text(origin.route) if origin is not None else None
            if written is not None:
                texts[name] = written
    return texts


def _finding(
    resolved: Resolved, route: tuple[str | int, ...], message: str, help_: str | None, key: bool = False
) -> Finding:
    place, found = resolved.locate(route, "key" if key else "value")
    return Finding(
        code=UNRENDERABLE,
        severity=Severity.ERROR,
        message=message,
        place=place,
        host=resolved.host,
        service=resolved.name,
        help=help_,
        based_on=(f"schema/sglang/{resolved.service.release}.json",),
        route=found,
    )
