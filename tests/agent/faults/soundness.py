"""What must hold of a host when the agent has come to rest, whatever was done to it before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sgfleet.agent.installed import read
from sgfleet.agent.record import ABSENT
from sgfleet.agent.state import decode
from sgfleet.agent.store import Store
from sgfleet.systemd.port import FileKind, UnitFile
from support.agent_host import HOST, SERVICE, UNIT

if TYPE_CHECKING:
    from support.agent_host import AgentHost

UNITS = "/etc/systemd/system"


def assert_sound(host: AgentHost, *words: str) -> None:
    """The host runs the verified unit, whole, or has none; nothing half-written is left; the state can be read.

    `words` are on the command line of the process that runs.
    """
    state = decode((host.state / "state.json").read_bytes())
    left = [path.name for path in host.systemd.path(UNITS).glob(".*") if UNIT in path.name]
    left += [str(path.relative_to(host.state)) for path in host.state.rglob("*.new")]
    assert not left, f"left over: {left}"
    service = state.services.get(SERVICE)
    verified = service.record.verified if service is not None else ABSENT
    if service is not None:
        assert service.record.attempt is None, service
    runs = host.systemd.show(UNIT, "ActiveState", "MainPID", "NeedDaemonReload", "LoadState", "UnitFileState")
    text = host.file()
    if verified == ABSENT:
        assert text == "", "an unverified unit is left"
        assert runs["ActiveState"] != "active", runs
        return
    kept = Store(host.state).unit(verified)
    there = read(UnitFile(FileKind.REGULAR, text.encode()), HOST, SERVICE)
    assert (there.unit, there.text) == (verified, kept), "the unit on the host is not the verified one"
    assert runs == runs | {"ActiveState": "active", "NeedDaemonReload": "no", "UnitFileState": "enabled"}, runs
    argv = host.systemd.run("cat", f"/proc/{runs['MainPID']}/cmdline").stdout.split("\0")
    missing = [word for word in words if word not in argv]
    assert not missing, f"what runs was started from another unit: {argv}"


def starts(host: AgentHost) -> int:
    """How often the engine was started so far."""
    lines = host.systemd.journal(UNIT).splitlines()
    return sum("server_args=" in line and f"{host.folder}/" in line for line in lines)


def shown(host: AgentHost) -> Any:
    """What people are told of the service."""
    return host.remembered()["services"][SERVICE]["shown"]
