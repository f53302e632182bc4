"""Puts the agent itself on a host, and takes it away. Services and state are not touched by either."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.agent import durable
from sgfleet.agent.local import load, parse
from sgfleet.agent.own_unit import SERVICE, TIMER, Setup, config, service, timer
from sgfleet.agent.store import Store
from sgfleet.agent.undo import Undo, folders, unit
from sgfleet.systemd.port import SystemdError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sgfleet.agent.local import Local
    from sgfleet.systemd.port import Manager, UnitState

CONFIG_MODE = 0o644


class FailedInstallError(Exception):
    """The host says no. What had been done is taken back; `left` is what could not be, a line each."""

    def __init__(self, reason: str, left: tuple[str, ...]) -> None:
        super().__init__(reason)
        self.left = left


def install(manager: Manager, config_path: Path, setup: Setup | None, program: tuple[str, ...]) -> tuple[str, ...]:
    """Write the host's file if it is absent, then the agent's units, and start the timer. What was done, a line each.

    Everything is held against what it has to be before the first byte is written, a manager that answers included.
    Doing it again renews the units. Where it fails, the host is as it was before.

    Raises:
        LocalError: the host's file cannot be used, or would not be.
        FileNotFoundError: it is absent, and `setup` is None.
        UnfitError, Unquotable: a path cannot be written into a unit.
        FailedInstallError: the host says no.
    """
    is_there = config_path.exists()
    if is_there:
        local = load(config_path)
    elif setup is None:
        raise FileNotFoundError(config_path)
    else:
        local = parse(config(setup))
    units = {SERVICE: service(local, program, config_path), TIMER: timer()}
    text = None if is_there or setup is None else config(setup)
    undo = Undo()
    try:
        before = manager.show((TIMER,))[TIMER]
        return tuple(_steps(manager, undo, (config_path, text), local, units, before))
    except (OSError, SystemdError) as error:
        raise FailedInstallError(str(error), undo.all()) from error
    except KeyboardInterrupt:
        undo.all()
        raise


def _steps(
    manager: Manager,
    undo: Undo,
    file: tuple[Path, str | None],
    local: Local,
    units: dict[str, str],
    before: UnitState,
) -> Iterator[str]:
    """Each step as it is made. `before` is the timer as it was."""
    path, text = file
    if text is None:
        yield f"kept {path}"
    else:
        folders(undo, path.parent)
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        undo.add(str(path), lambda: path.unlink(missing_ok=True))
        durable.write(path, text.encode(), CONFIG_MODE)
        yield f"wrote {path}"
    store = Store(local.state)
    folders(undo, local.state)
    if not store.is_prepared:
        undo.add(f"what is in {local.state}", store.unprepare)
    local.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    store.prepare()
    systemctl = "systemctl --user" if local.scope == "user" else "systemctl"
    undo.add(f"what systemd has read of it: {systemctl} daemon-reload", manager.reload)
    for name, content in units.items():
        changed = manager.read(name).content != content.encode()
        unit(undo, manager, name)
        manager.install(name, content.encode())
        yield f"{'wrote' if changed else 'kept'} {name}"
    manager.reload()
    if before.unit_file_state != "enabled":
        undo.add(f"{TIMER} enabled: {systemctl} disable {TIMER}", lambda: manager.disable(TIMER))
    manager.enable(TIMER)
    if before.active_state != "active":
        undo.add(f"{TIMER} started: {systemctl} stop {TIMER}", lambda: manager.stop(TIMER))
    manager.start(TIMER)
    yield f"enabled and started {TIMER}"


def remove(manager: Manager) -> tuple[str, ...]:
    """Take the agent's units away. A pass that runs is stopped: what it was at stands in its journal.

    Raises:
        SystemdError: the host says no.
    """
    manager.stop(TIMER)
    manager.stop(SERVICE)
    manager.disable(TIMER)
    for name in (TIMER, SERVICE):
        manager.remove(name)
        manager.discard(name)
    manager.reload()
    manager.reset_failed(SERVICE)
    return (f"stopped and removed {TIMER} and {SERVICE}",)
