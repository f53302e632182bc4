"""Nothing is under way: does something have to begin, and may it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.agent.decision import Decision
from sgfleet.agent.phases import status_of
from sgfleet.agent.reason import Reason
from sgfleet.agent.record import ABSENT, Attempt, Phase
from sgfleet.agent.seen import UNREAD, Action, Drift, Live, Status, Word

if TYPE_CHECKING:
    from sgfleet.agent.record import Record
    from sgfleet.agent.seen import Permit, Seen, Wanted


def begin(wanted: Wanted, seen: Seen, permit: Permit, record: Record) -> Decision:
    """What to do where no attempt is under way."""
    if wanted.refusal == UNREAD:
        return _still(record, Status(Word.BLOCKED, UNREAD))
    if _is_unknown(seen, record):
        # One that does not run is worth no look: what is wanted is applied as on any host, with every check before.
        if (wanted.unit != ABSENT or wanted.refusal is not None) and not seen.live.at_rest:
            attempt = Attempt(
                seen.installed, Phase.GATING, adopt=True, instance=seen.instance, restarts=seen.restarts, boot=seen.boot
            )
            return Decision(record._replace(attempt=attempt), Action.PROBE, status_of(attempt))
    elif wanted.refusal is None and wanted.unit == record.verified and not record.again:
        return _kept(wanted, seen, permit, record)
    if wanted.refusal is not None:
        return _still(record, Status(Word.BLOCKED, wanted.refusal))
    if not record.again and (failure := record.failure(wanted.unit)) is not None:
        return _still(record, Status(Word.BROKEN if record.broken else Word.ROLLED_BACK, record.broken or failure))
    if permit.word is not None:
        return _still(record, Status(Word.FROZEN if permit.word == "frozen" else Word.PENDING, permit.reason))
    if permit.drift is Drift.REFUSE and (drift := seen.foreign or _drifted(seen, record)) is not None:
        return _still(record, Status(Word.BLOCKED, drift))
    if wanted.unit != ABSENT:
        if seen.admission is None:
            return Decision(record, Action.ADMIT, Status(Word.PENDING))
        if seen.admission is not True:
            reason = seen.admission or None
            return _still(record, Status(Word.BLOCKED, reason))
    attempt = Attempt(
        wanted.unit,
        restart=not _takes_reload(wanted, seen, record),
        before=seen.instance,
        instance=seen.instance,
        restarts=seen.restarts,
        boot=seen.boot,
    )
    started = record._replace(attempt=attempt, broken=None, again=False, quarantine=record.without(wanted.unit))
    return Decision(started, Action.STAGE, status_of(attempt))


def _is_unknown(seen: Seen, record: Record) -> bool:
    """A unit of ours is there of which no record tells whether it ever worked: the agent's memory was lost."""
    return (
        record.verified == ABSENT
        and seen.installed != ABSENT
        and seen.foreign is None
        and record.failure(seen.installed) is None
    )


def _drifted(seen: Seen, record: Record) -> Reason | None:
    """What stands there is not what was verified, and nothing that this agent left when it failed."""
    if record.again or record.verified in {ABSENT, seen.installed} or record.failure(seen.installed) is not None:
        return None
    return _edited(seen)


def _takes_reload(wanted: Wanted, seen: Seen, record: Record) -> bool:
    return (
        seen.reload_only
        and not record.again
        and wanted.unit != ABSENT
        and seen.installed == record.verified
        and seen.live is Live.RUNNING
    )


def _kept(wanted: Wanted, seen: Seen, permit: Permit, record: Record) -> Decision:
    """What is wanted is what was verified. The host may still tell another story."""
    if wanted.unit == ABSENT and seen.installed == ABSENT:
        foreign = seen.foreign
        return Decision(record, None, Status(Word.BLOCKED, foreign) if foreign else Status(Word.STEADY), not foreign)
    if seen.foreign is not None or seen.installed != record.verified:
        drift = seen.foreign or _edited(seen)
        if permit.drift is not Drift.CORRECT or record.failure(wanted.unit) is not None:
            return _still(record, Status(Word.BLOCKED if permit.drift is Drift.REFUSE else Word.STEADY, drift))
        if permit.word is not None:
            return _still(record, Status(Word.FROZEN if permit.word == "frozen" else Word.PENDING, permit.reason))
        attempt = Attempt(wanted.unit, before=seen.instance, boot=seen.boot)
        return Decision(record._replace(attempt=attempt, broken=None), Action.STAGE, status_of(attempt))
    if record.broken is not None:
        return _still(record, Status(Word.BROKEN, record.broken))
    if not seen.exact and permit.word is None and seen.done is not Action.REFRESH:
        return Decision(record, Action.REFRESH, Status(Word.STEADY))
    if seen.live in {Live.FAILED, Live.RESTARTING, Live.STOPPED}:
        return _still(record, Status(Word.BROKEN, _DOWN[seen.live]))
    return _still(record, Status(Word.STEADY))


def _edited(seen: Seen) -> Reason:
    if seen.installed == ABSENT:
        return Reason("drift", "its unit file is gone from the host", "sgfleet agent retry puts it back")
    return Reason("drift", "its unit file was edited on the host", "sgfleet agent retry puts the verified one back")


_DOWN = {
    Live.FAILED: Reason(
        "failed",
        "it does not run: it failed, or died as it was stopped, and systemd does not start it again",
        "see its journal, then: agent retry",
    ),
    Live.RESTARTING: Reason("crash-loop", "the service died, and systemd is starting it again", "see its journal"),
    Live.STOPPED: Reason("stopped", "the service was stopped on the host", "systemctl start it, or: agent retry"),
}


def _still(record: Record, status: Status) -> Decision:
    return Decision(record, None, status)
