"""What the planner answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sgfleet.agent.record import Record
    from sgfleet.agent.seen import Action, Status


class Decision(NamedTuple):
    """`record` is written before `action` is done; without an action the pass is over. `forget`: nothing is left."""

    record: Record
    action: Action | None
    status: Status
    forget: bool = False
