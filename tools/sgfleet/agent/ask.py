"""The host is asked whether a service may be started. A host that said no is not asked in every pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.agent.brief import decode
from sgfleet.agent.reason import Reason

if TYPE_CHECKING:
    from sgfleet.agent.hands import Hands
    from sgfleet.agent.local import Local
    from sgfleet.agent.state import ServiceState
    from sgfleet.systemd.port import UnitState

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 30.0, 600.0
"""A host that says no is asked again after so long, then twice as long."""
NOT_KEPT: Final = "not-kept"


def remembered(state: ServiceState, now_seconds: float) -> Reason | None:
    """The refusal that still holds; `now_seconds` since 1970."""
    if state.asked is None or state.shown is None or state.shown.reason is None:
        return None
    unit, at, pause = state.asked
    return state.shown.reason if unit == state.wanted.unit and at <= now_seconds < at + pause else None


def ask(
    name: str, state: ServiceState, head: str, local: Local, hands: Hands, present: UnitState
) -> tuple[Reason | None, ServiceState]:
    """Call the checks of admission: why not, and the service with what is remembered of the answer.

    `head` is the commit whose files are looked at.
    """
    from sgfleet.agent.admission.admit import admit
    from sgfleet.agent.admission.situation import Situation
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.source.git_objects import GitObjects
    from sgfleet.source.git_tree import GitTree

    unit = state.wanted.unit
    text = hands.store.unit(unit)
    if text is None:
        return Reason(NOT_KEPT, f"unit {unit[:12]} is not in the agent's folder", "sgfleet agent retry"), state
    objects = GitObjects(hands.mirror.git)
    try:
        tree = GitTree(objects, head)
        workspace = Workspace(hands.store.folder, tree, tree)
        situation = Situation(
            local=local,
            name=name,
            text=text,
            unit=unit,
            brief=decode(hands.store.plan(unit)),
            workspace=workspace,
            spec=workspace.repository.host(local.host),
            manager=hands.manager,
            store=hands.store,
            machine=hands.machine,
            present=present,
        )
        refusal = admit(situation)
    finally:
        objects.close()
    pause = FIRST_PAUSE_SECONDS * local.time_scale
    if state.asked is not None and state.asked[0] == unit:
        pause = min(LONGEST_PAUSE_SECONDS, state.asked[2] * 2)
    asked = None if refusal is None else (unit, hands.clock.now().wall_seconds, pause)
    return refusal, state._replace(asked=asked)
