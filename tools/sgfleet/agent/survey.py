"""Looks at what `status` and `metrics` tell: the units of this host and what systemd says of them. Changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.agent import installed
from sgfleet.agent.record import ABSENT
from sgfleet.agent.seen import Word
from sgfleet.agent.status import There, overview
from sgfleet.systemd.port import SystemdError

if TYPE_CHECKING:
    from sgfleet.agent.local import Local
    from sgfleet.agent.state import HostState
    from sgfleet.agent.status import Overview
    from sgfleet.agent.store import Store
    from sgfleet.systemd.port import Manager, UnitState

_LINES: Final = 400
_MOST_SIGNS: Final = 5


def survey(
    local: Local, state: HostState | None, store: Store, manager: Manager, now_seconds: float, *, ask: bool = True
) -> Overview:
    """What is told of the host. With `ask`, systemd is asked as well; where it does not answer, it is left out.

    Raises:
        SystemdError: the folder of units cannot be read.
    """
    services = state.services if state is not None else {}
    there = {}
    for unit in manager.installed():
        name = unit.removesuffix(".service")
        found = installed.read(manager.read(unit), local.host, name)
        if found.unit != ABSENT or name in services:
            there[name] = There(found)
    if ask:
        broken = {name for name, each in services.items() if each.shown and each.shown.word == Word.BROKEN.value}
        present = _asked(manager, sorted(there))
        for name, each in present.items():
            text = f"{each.active_state} ({each.sub_state})"
            signs = _signs(manager, each) if name in broken else ()
            there[name] = there[name]._replace(systemd=text, failing=signs)
    return overview(local.host, state, store.freeze(), there, now_seconds)


def _asked(manager: Manager, names: list[str]) -> dict[str, UnitState]:
    try:
        found = manager.show([f"{name}.service" for name in names])
    except SystemdError:
        return {}
    return {name: found[f"{name}.service"] for name in names}


def _signs(manager: Manager, state: UnitState) -> tuple[str, ...]:
    """What the last run's journal says of its end, in our words: its own lines may hold secrets."""
    from sgfleet.observe.failures import failure_in

    try:
        lines = manager.journal(state.name, state.invocation_id, _LINES) if state.invocation_id else ()
    except SystemdError:
        return ()
    found = dict.fromkeys(sign.what for line in lines if (sign := failure_in(line)) is not None)
    return tuple(found)[-_MOST_SIGNS:]
