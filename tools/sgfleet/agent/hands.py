"""Everything outside of a pass: the ports, and the real ones for a host that agent.toml describes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sgfleet import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgfleet.agent.host import Clockwork
    from sgfleet.agent.local import Local
    from sgfleet.agent.mirror import Mirror
    from sgfleet.agent.state import Shown
    from sgfleet.agent.store import Store
    from sgfleet.facts.machine import Machine
    from sgfleet.systemd.port import Manager


@dataclass(frozen=True, slots=True)
class Hands:
    """See each port. `changed(service, former, shown, commit)` is told each transition; an empty service is the host
    as a whole."""

    manager: Manager
    mirror: Mirror
    store: Store
    clock: Clockwork
    machine: Machine
    tool: str
    changed: Callable[[str, Shown | None, Shown, str], None]


def hands_of(local: Local) -> Hands:
    """The real ones."""
    from sgfleet.agent.host import RealClock
    from sgfleet.agent.mirror import Mirror
    from sgfleet.agent.store import Store
    from sgfleet.facts.machine import LiveMachine
    from sgfleet.render.identity import UNIT_FORMAT
    from sgfleet.systemd.manager import SystemdManager

    store = Store(local.state)
    settings = hashlib.sha256(repr(local).encode()).hexdigest()[:16]
    return Hands(
        manager=SystemdManager.user() if local.scope == "user" else SystemdManager.system(),
        mirror=Mirror(store.mirror, local.remote),
        store=store,
        clock=RealClock(),
        machine=LiveMachine(),
        tool=f"sgfleet {VERSION} format {UNIT_FORMAT} settings {settings}",
        changed=lambda service, former, shown, commit: _tell(store, local, service, former, shown, commit),
    )


def _tell(store: Store, local: Local, service: str, former: Shown | None, shown: Shown, commit: str) -> None:
    """Log a transition, and call the host's hook."""
    entry = {
        "at_seconds": shown.since_seconds,
        "service": service,
        "former": former.word if former else None,
        "state": shown.word,
        "code": shown.code,
        "reason": str(shown.reason) if shown.reason else None,
        "commit": commit,
    }
    store.log(entry)
    if local.hook:
        from sgfleet.agent.hook import call

        failed = call(local.hook, entry)
        if failed is not None:
            store.log({"at_seconds": shown.since_seconds, "service": service, "hook": failed})
