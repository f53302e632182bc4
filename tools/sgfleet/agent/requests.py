"""What a person may ask for beside the repository: another try, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.agent.phases import fail
from sgfleet.agent.reason import Reason
from sgfleet.agent.record import ABSENT, Attempt, Phase

if TYPE_CHECKING:
    from sgfleet.agent.record import Record
    from sgfleet.agent.seen import Seen


def retry(record: Record) -> Record:
    """Forget what failed: what main asks for is tried once more, even where it is what was verified."""
    return record._replace(quarantine=(), broken=None, again=True)


def rollback(record: Record, seen: Seen, why: str) -> Record | None:
    """Go back to the unit before the present one, which is not taken again until `retry`. None: there is none.

    An attempt that is under way is given up, and what was verified comes back.
    """
    reason = Reason("person", f"taken back by a person: {why}")
    attempt = record.attempt
    if attempt is not None:
        return None if attempt.back else fail(attempt, seen, record, reason).record
    if record.previous in {ABSENT, record.verified}:
        return None
    back = Attempt(record.previous, Phase.STOPPING, back=True, failed=record.verified, why=reason, boot=seen.boot)
    return record.condemn(record.verified, reason)._replace(attempt=back._replace(before=seen.instance))
