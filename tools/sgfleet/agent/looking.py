"""One look at a service: its unit file, what systemd says, what the clock says -> what the planner is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sgfleet.agent import installed
from sgfleet.agent.brief import decode
from sgfleet.agent.budgets import over
from sgfleet.agent.reason import Reason
from sgfleet.agent.record import ABSENT
from sgfleet.agent.seen import Live, Seen
from sgfleet.render.effect import Effect, effect_of

if TYPE_CHECKING:
    from sgfleet.agent.brief import Brief
    from sgfleet.agent.host import Now
    from sgfleet.agent.installed import Installed
    from sgfleet.agent.local import Local
    from sgfleet.agent.state import ServiceState
    from sgfleet.agent.store import Store
    from sgfleet.systemd.port import Manager, UnitState


class View(NamedTuple):
    """What was looked at. `seen` lacks what only this pass knows: gate, admission, the last action."""

    seen: Seen
    there: Installed
    unit: UnitState
    brief: Brief | None


def look(name: str, state: ServiceState, local: Local, manager: Manager, store: Store, now: Now) -> View:
    """Look at one service.

    Raises:
        SystemdError: systemd cannot be asked, or the unit folder cannot be read.
    """
    record = state.record
    unit = f"{name}.service"
    known = {record.verified, record.attempt.goal if record.attempt else ABSENT} - {ABSENT}
    texts = tuple(text for each in sorted(known) if (text := store.unit(each)) is not None)
    there = installed.read(manager.read(unit), local.host, name, texts)
    present = manager.show([unit])[unit]
    foreign = there.foreign or _drop_in(name, manager.drop_ins(unit))
    goal = record.attempt.goal if record.attempt else state.wanted.unit
    wanted = store.unit(goal) if goal != ABSENT else None
    brief = decode(store.plan(goal)) if goal != ABSENT else None
    live = live_of(present)
    seen = Seen(
        installed=there.unit,
        exact=wanted is None or there.unit != goal or there.text == wanted,
        foreign=foreign,
        live=live,
        instance=present.invocation_id,
        restarts=present.restarts,
        boot=now.boot,
        reload_only=wanted is not None
        and there.unit != ABSENT
        and effect_of(there.text, wanted).effect is not Effect.RESTART,
        clear=not live.at_rest or not _left(present, manager),
    )
    if record.attempt is not None:
        found = over(record.attempt, state, brief, local, now)
        seen = seen._replace(overdue=found.overdue, baked=found.baked)
    return View(seen, there, present, brief)


def live_of(state: UnitState) -> Live:
    """systemd's states in the planner's words. A crash loop reads activating, never failed."""
    if state.sub_state.startswith("auto-restart"):
        return Live.RESTARTING
    match state.active_state:
        case "active" | "reloading" | "refreshing":
            if state.job:
                return Live.STOPPING
            return Live.RUNNING if state.main_pid else Live.STOPPED
        case "activating":
            return Live.STARTING
        case "deactivating":
            return Live.STOPPING
        case "failed":
            return Live.STARTING if state.job else Live.FAILED
        case _:
            return Live.STARTING if state.job else Live.STOPPED


def _left(state: UnitState, manager: Manager) -> bool:
    """Whether a process of the unit outlived it. Those hold the GPUs' memory, and pinned memory with it."""
    return bool(state.control_group) and bool(manager.processes(state.control_group))


def _drop_in(name: str, paths: tuple[str, ...]) -> Reason | None:
    mine = [path for path in paths if f"/{name}.service.d/" in path]
    if not mine:
        return None
    help_ = "take it away, and put what it says into the spec"
    return Reason("drop-in", f"{mine[0]} changes the unit on this host", help_)
