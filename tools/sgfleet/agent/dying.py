"""What the journal of a run says of its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.systemd.port import SystemdError

if TYPE_CHECKING:
    from sgfleet.agent.decision import Decision
    from sgfleet.agent.reason import Reason
    from sgfleet.agent.record import Record
    from sgfleet.systemd.port import Manager

_LINES: Final = 400


def dying(manager: Manager, unit: str, invocation_id: str) -> str | None:
    """The first line of a run's journal that says it is at its end, in our words."""
    from sgfleet.observe.failures import failure_in

    try:
        lines = manager.journal(unit, invocation_id, _LINES)
    except SystemdError:
        return None  # a journal that cannot be read says nothing against the service
    return next((found.what for line in lines if (found := failure_in(line)) is not None), None)


def explained(decision: Decision, before: Record, said: str | None) -> Decision:
    """The decision with what a journal says of the unit that failed now: later the journal may be gone."""
    record = decision.record
    new = newly_failed(before, record)
    if said is None or not new or said in new[0][1].text:
        return decision
    unit, reason = new[0]
    whole = reason._replace(text=f"{reason.text}: {said}")
    record = record.condemn(unit, whole)
    if record.attempt is not None:
        record = record._replace(attempt=record.attempt._replace(why=whole))
    if record.broken == reason:
        record = record._replace(broken=whole)
    status = decision.status
    if status.reason == reason:
        status = status._replace(reason=whole)
    return decision._replace(record=record, status=status)


def newly_failed(before: Record, after: Record) -> list[tuple[str, Reason]]:
    """The units that a decision has put into quarantine, each with its reason."""
    return [each for each in after.quarantine if each not in before.quarantine]
