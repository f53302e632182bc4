"""All services of a host -> their units, or why one has none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sgfleet.findings import Finding, Severity
from sgfleet.render.command import command_of
from sgfleet.render.unit import unit_of
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


def render_host(spec: HostSpec, release_of: Callable[[str], Release | None]) -> Rendered:
    """Render what can be rendered. `release_of` gives the flags of a release, None where this tool has none."""
    rendered = Rendered(known={*spec.services, *spec.unresolved})
    for name, resolved in spec.services.items():
        release = release_of(resolved.service.release)
        if release is None:
            version = resolved.service.release
            message = f"{name} cannot be rendered: no flag schema of SGLang {version}"
            rendered.findings.append(_finding(resolved, ("release",), message, f"sgfleet schema add {version}"))
            continue
        command = command_of(resolved.service, release, _texts(resolved))
        for obstacle in command.obstacles:
            message = f"{name} cannot be rendered: {obstacle.message}"
            rendered.findings.append(_finding(resolved, obstacle.route, message, obstacle.help))
        if command.obstacles:
            continue
        try:
            rendered.units[name] = unit_of(spec.name, name, resolved.service, command.groups)
        except Unquotable as error:
            message = f"{name} cannot be rendered: {error.reason}"
            rendered.findings.append(_finding(resolved, (), message, error.help))
    return rendered


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


def _finding(resolved: Resolved, route: tuple[str | int, ...], message: str, help_: str | None) -> Finding:
    place, found = resolved.locate(route)
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
