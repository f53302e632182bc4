"""What stands under units/ against what the specs render to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Finding, Place, Severity
from sgfleet.render.identity import PREFIX, unit_hash
from sgfleet.render.unit_reader import UnitSyntaxError, parse_unit
from sgfleet.spec.secrecy import announces_secret, secret_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sgfleet.render.unit_text import UnitText

MISSING: Final = "RND001"
STALE: Final = "RND002"
EDITED: Final = "RND003"
WITHOUT_SPEC: Final = "RND004"

_ENVIRONMENT: Final = "Environment="
_SHOWN: Final = 8
"""Changed settings that a finding lists; the rest is counted."""


def unit_path(host: str, service: str) -> str:
    """Where a service's unit is committed, from the repository's root."""
    return f"units/{host}/{service}.service"


def drift(host: str, rendered: Mapping[str, str], committed: Mapping[str, str], known: set[str]) -> Iterator[Finding]:
    """Findings for one host.

    `rendered`: service -> unit text that its spec gives. `committed`: service -> text under units/. `known`: services
    that the spec has, also those that could not be rendered: their units are neither missing nor without a spec.
    """
    for name, text in rendered.items():
        path = unit_path(host, name)
        if name not in committed:
            yield _finding(MISSING, host, name, Place(path), f"service {name} has no unit", "sgfleet render", ())
        elif committed[name] != text:
            yield _differs(host, name, path, committed[name], text)
    for name in sorted(set(committed) - known):
        place = Place(unit_path(host, name), 1, 1, 1, 1)
        message = f"host {host} has no service {name}: the unit has no spec"
        yield _finding(WITHOUT_SPEC, host, name, place, message, "sgfleet render removes it", ())


def _differs(host: str, name: str, path: str, committed: str, rendered: str) -> Finding:
    place, changes = _changes(path, committed, rendered)
    if _edited_by_hand(committed):
        message = f"the unit of {name} was edited by hand"
        help_ = f"put the change into hosts/{host}/host.yaml, then run sgfleet render"
        return _finding(EDITED, host, name, place, message, help_, changes)
    message = f"the unit of {name} is not what its spec renders to"
    return _finding(STALE, host, name, place, message, "sgfleet render", changes)


def _edited_by_hand(committed: str) -> bool:
    """A unit that we wrote carries the hash of its own lines."""
    try:
        claimed = parse_unit(committed).value("Unit", f"{PREFIX}Unit")
    except UnitSyntaxError:
        return True
    return claimed != unit_hash(committed)


def _changes(path: str, committed: str, rendered: str) -> tuple[Place, tuple[str, ...]]:
    """The first line that differs, and what differs in terms of settings: `-` is committed, `+` is rendered."""
    have, want = committed.splitlines(), rendered.splitlines()
    at = next((i for i, (a, b) in enumerate(zip(have, want, strict=False)) if a != b), min(len(have), len(want)))
    line = have[at] if at < len(have) else ""
    # A variable's value may be a secret that somebody put there by hand: neither it nor its line is shown.
    hidden = _ENVIRONMENT in line or (0 < at <= len(have) and announces_secret(have[at - 1]))
    place = Place(path, at + 1, 1, at + 1, len(line) + 1, None if hidden else line)
    try:
        before, after = _settings(parse_unit(committed)), _settings(parse_unit(rendered))
    except UnitSyntaxError as error:
        return place, (f"the committed text is no unit: {error}",)
    gone = [f"- {shown}" for line, shown in before.items() if line not in after]
    shown = [*gone, *(f"+ {shown}" for line, shown in after.items() if line not in before)]
    if not shown:
        return place, ("only comments, blank lines or the order differ",)
    rest = len(shown) - _SHOWN
    return place, (*shown[:_SHOWN], *([f"and {rest} more lines"] if rest > 0 else ()))


def _settings(unit: UnitText) -> dict[str, str]:
    """`Key=part` for each physical line of each setting -> the same as it is shown. Hashes say nothing to a person."""
    found: dict[str, str] = {}
    for section in unit.sections:
        for setting in unit.settings(section.name):
            if not setting.key.startswith((f"{PREFIX}Unit", f"{PREFIX}Spec")):
                above = ""
                for part in setting.parts:
                    hidden = f"{setting.key}=… (not shown)" if announces_secret(above) else _shown(setting.key, part)
                    found[f"{setting.key}={part}"] = hidden
                    above = part
    return found


def _shown(key: str, part: str) -> str:
    line = f"{key}={part}"
    if not line.startswith(_ENVIRONMENT):
        first = min((start for start, _ in secret_spans(line)), default=None)
        return line if first is None else f"{line[:first]}… (the rest is not shown)"
    name = part.strip("\"'").partition("=")[0]
    return f"{_ENVIRONMENT}{name}=… (the value is not shown)"


def _finding(
    code: str, host: str, service: str, place: Place, message: str, help_: str, arithmetic: tuple[str, ...]
) -> Finding:
    return Finding(
        code=code,
        severity=Severity.ERROR,
        message=message,
        place=place,
        host=host,
        service=service,
        arithmetic=arithmetic,
        help=help_,
        based_on=(f"hosts/{host}/host.yaml", "fleet.yaml"),
    )
