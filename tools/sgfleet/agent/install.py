"""Puts the agent itself on a host, and takes it away. Services and state are not touched by either."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.agent import durable
from sgfleet.agent.local import load, parse
from sgfleet.agent.own_unit import SERVICE, TIMER, Setup, config, service, timer
from sgfleet.agent.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from sgfleet.systemd.port import Manager

CONFIG_MODE = 0o644


def install(manager: Manager, config_path: Path, setup: Setup | None, program: tuple[str, ...]) -> tuple[str, ...]:
    """Write the host's file if it is absent, then the agent's units, and start the timer. What was done, a line each.

    Everything is held against what it has to be before the first byte is written. Doing it again renews the units.

    Raises:
        LocalError: the host's file cannot be used, or would not be.
        FileNotFoundError: it is absent, and `setup` is None.
        UnfitError, Unquotable: a path cannot be written into a unit.
        OSError, SystemdError: the host says no.
    """
    done = []
    is_there = config_path.exists()
    if is_there:
        local = load(config_path)
    elif setup is None:
        raise FileNotFoundError(config_path)
    else:
        local = parse(config(setup))
    units = {SERVICE: service(local, program, config_path), TIMER: timer()}
    if setup is not None and not is_there:
        config_path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        durable.write(config_path, config(setup).encode(), CONFIG_MODE)
        done.append(f"wrote {config_path}")
    else:
        done.append(f"kept {config_path}")
    local.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    Store(local.state).prepare()
    for name, text in units.items():
        changed = manager.read(name).content != text.encode()
        manager.install(name, text.encode())
        done.append(f"{'wrote' if changed else 'kept'} {name}")
    manager.reload()
    manager.enable(TIMER)
    manager.start(TIMER)
    done.append(f"enabled and started {TIMER}")
    return tuple(done)


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
