"""Check: what has to be written can be written, and the way back is there.

Once the service is stopped, a full or read-only disk leaves the host with nothing that runs. So as much as will be
needed is really written, to the agent's folder and beside the unit, made durable and taken away again; and the unit
that was verified last has to be kept here, since going back installs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.agent import durable
from sgfleet.agent.host import free_bytes
from sgfleet.agent.reason import Reason
from sgfleet.agent.record import ABSENT
from sgfleet.memory.units import MIB
from sgfleet.systemd.port import Failure, SystemdError

if TYPE_CHECKING:
    from sgfleet.agent.admission.situation import Situation

LEAST_BYTES: Final = 16 * MIB
"""For state, units and log of the agent, each of them twice while it is replaced."""
TRIAL: Final = "sgfleet-room.service"
"""Not the service's own name: what is staged for that one may be needed for going back."""
_MARGIN_BYTES: Final = 64 * 1024


def check(situation: Situation) -> Reason | None:
    """What cannot be written, or what is missing for going back."""
    return _state(situation) or _units(situation) or _way_back(situation)


def _state(situation: Situation) -> Reason | None:
    folder = situation.store.folder
    free = free_bytes(folder)
    if free < LEAST_BYTES:
        text = f"{folder} has room for {free / MIB:,.1f} MiB more, and the agent needs {LEAST_BYTES // MIB} MiB"
        return Reason("room", text, "make room on that file system")
    trial = folder / "room"
    try:
        situation.store.prepare()
        durable.write(trial, b"\0" * _needed_bytes(situation))
        trial.unlink()
        durable.sync_folder(folder)
    except OSError as error:
        return Reason("room", f"{folder} cannot be written: {error}", "mend it: the agent needs it for going back")
    return None


def _units(situation: Situation) -> Reason | None:
    """Staged, as the real ones will be, under a name of its own; hidden from systemd, and taken away again."""
    content = b"# room\n" * (_needed_bytes(situation) // 7 + 1)
    try:
        try:
            situation.manager.stage(TRIAL, content)
        finally:
            situation.manager.discard(TRIAL)
    except SystemdError as error:
        if error.failure in {Failure.TIMEOUT, Failure.NOT_RUNNING}:
            raise
        return Reason("room", f"the folder of units cannot be written: {error}", "mend it, or make room there")
    return None


def _needed_bytes(situation: Situation) -> int:
    """The new unit, the one for going back, and what stands beside them."""
    back = situation.store.unit(situation.record.verified) if situation.record.verified != ABSENT else None
    return (
        len(situation.text.encode(errors="surrogateescape"))
        + len((back or "").encode(errors="replace"))
        + _MARGIN_BYTES
    )


def _way_back(situation: Situation) -> Reason | None:
    verified = situation.record.verified
    if verified == ABSENT or situation.store.unit(verified) is not None:
        return None
    text = f"the unit to go back to, {verified[:12]}, is not kept in {situation.store.folder} any more, or is damaged"
    help_ = "move state.json away from there: the agent then verifies what runs anew, and keeps it"
    return Reason("no-way-back", text, help_)
