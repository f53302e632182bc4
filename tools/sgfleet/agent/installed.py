"""A unit file as it stands on a host: the rendered text with the commit it came from. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.agent.reason import Reason
from sgfleet.agent.record import ABSENT
from sgfleet.render.identity import PREFIX, unit_hash
from sgfleet.render.unit_reader import UnitSyntaxError, parse_unit
from sgfleet.systemd.port import FileKind

if TYPE_CHECKING:
    from sgfleet.systemd.port import UnitFile

_COMMIT: Final = re.compile(rf"^{PREFIX}Commit=([0-9a-f]{{40,64}})$\n", re.MULTILINE)
_BEFORE: Final = re.compile(rf"^{PREFIX}Unit=.*$\n", re.MULTILINE)


class Installed(NamedTuple):
    """What stands in a unit's place. `unit`: its hash if it is ours, else ABSENT. `text`: without the commit's line."""

    unit: str = ABSENT
    text: str = ""
    commit: str = ""
    foreign: Reason | None = None
    release: str = ""
    port: int | None = None


def stamped(text: str, commit: str) -> bytes:
    """The rendered unit with its commit, so that where a host stands can be read off its units alone."""
    line = f"{PREFIX}Commit={commit}\n"
    return _BEFORE.sub(lambda found: found[0] + line, text, count=1).encode(errors="surrogateescape")


def read(file: UnitFile, host: str, service: str, known: tuple[str, ...] = ()) -> Installed:
    """What a file is. `known` are texts that were installed here: a torn one of them is that one, to be mended."""
    if file.kind is FileKind.ABSENT:
        return Installed()
    if file.kind not in {FileKind.REGULAR, FileKind.EMPTY}:
        where = f" to {file.target}" if file.target else ""
        text = f"{service}.service on this host is a {file.kind.value}{where}"
        return Installed(foreign=Reason("foreign", text, "take it away, and the agent goes on"))
    content = file.content.decode(errors="surrogateescape")
    text = _COMMIT.sub("", content, count=1)
    for whole in known:
        if whole.startswith(text) and whole != text:
            return Installed(unit_hash(whole), text)
    try:
        parsed = parse_unit(content)
        named = parsed.value("Unit", f"{PREFIX}Host"), parsed.value("Unit", f"{PREFIX}Service")
        release = parsed.value("Unit", f"{PREFIX}Release") or ""
    except UnitSyntaxError as error:
        reason = Reason("foreign", f"{service}.service on this host is no unit: {error}", "take it away")
        return Installed(text=text, foreign=reason)
    if named != (host, service):
        whose = f"of host {named[0]}, service {named[1]}" if any(named) else "not made by sgfleet"
        help_ = "move it away, and the agent installs the one of the repository"
        return Installed(text=text, foreign=Reason("foreign", f"{service}.service on this host is {whose}", help_))
    commit = found[1] if (found := _COMMIT.search(content)) else ""
    port = re.search(r"--port[ =](\d{1,5})\b", content)
    return Installed(unit_hash(text), text, commit, release=release, port=int(port[1]) if port else None)
