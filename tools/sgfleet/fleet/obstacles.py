"""What keeps services from being rendered: `check` says of it what `render` says.

Most services hold nothing but plain words; they are told apart here without writing a unit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from sgfleet.engine.release import Release
    from sgfleet.findings import Finding
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.spec.host_spec import HostSpec
    from sgfleet.spec.models.service import Service

_WORD: Final = re.compile(r"[A-Za-z0-9_./:,+@=][A-Za-z0-9_./:,+@= -]{0,1000}")
"""Text that every notation of a unit takes, and that no parser takes for an option."""
_PATH: Final = re.compile(r"(?=.{1,1000}\Z)(?:/[A-Za-z0-9_.:,+@=-]+)+")
_LONGEST: Final = 1000


def obstacles(workspace: Workspace, spec: HostSpec) -> list[Finding]:
    """Findings of the renderer about the services of a host whose release is known."""
    found: list[Finding] = []
    for resolved in spec.services.values():
        release = workspace.release(resolved.service.release)
        if release is not None and not _plain(resolved.service, release):
            from sgfleet.render.host import render_service

            unit = render_service(spec.name, resolved, release)
            if not isinstance(unit, str):
                found += unit
    return found


def _plain(service: Service, release: Release) -> bool:
    """Whether everything in a service is such that the renderer has nothing to object to."""
    unit = service.unit
    return (
        _PATH.fullmatch(service.python) is not None
        and (service.working_directory is None or _PATH.fullmatch(service.working_directory) is not None)
        and all(_PATH.fullmatch(path) for path in service.environment_files)
        and (not service.why or (len(service.why) < _LONGEST and service.why.replace("\n", " ").isprintable()))
        and all(map(_plain_value, service.environment.values()))
        and not any("@." in name for names in (unit.after, unit.wants, unit.requires, unit.wanted_by) for name in names)
        and all(_plain_flag(release, name, value) for name, value in service.flags.items())
        and all(name in release.by_name for name in service.secrets)
    )


def _plain_flag(release: Release, name: str, value: Any) -> bool:
    flag = release.by_name.get(name)
    if flag is None or flag.opaque:
        return False
    if flag.choices is not None and not isinstance(value, list):
        return value in flag.choices
    return all(map(_plain_value, value)) if isinstance(value, list) else _plain_value(value)


def _plain_value(value: Any) -> bool:
    if isinstance(value, str):
        return not value or _WORD.fullmatch(value) is not None
    return value is None or isinstance(value, bool | int | float)
