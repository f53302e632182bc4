"""What the agent remembers of one service: which unit is verified, what is being tried, what failed.

A record is written before each side effect, and names the side effect that comes next. So whatever kills the agent, the
next tick knows what may have happened, and every phase can be entered again.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from sgfleet.agent.reason import Reason

ABSENT = ""
"""In the place of a unit's hash: the service is not on this host, and shall not be."""
MOST_QUARANTINED: Final = 100
"""Nobody may look for months, and every pass reads the record."""


class Phase(Enum):
    """How far an attempt is, in order. A phase is over when the planner sees its effect, not when a call returned."""

    STAGING = "staging"  # the unit is put beside the journal; the service runs on
    STOPPING = "stopping"
    CLEARING = "clearing"  # waits until the processes, their GPU memory and their pinned memory are gone
    INSTALLING = "installing"
    RELOADING = "reloading"  # reset-failed, daemon-reload, enable
    STARTING = "starting"
    GATING = "gating"
    BAKING = "baking"


class Attempt(NamedTuple):
    """One try to make a unit real.

    `back`: it goes back to what was verified before, because `failed` did not work, for the reason `why`.
    `restart`: the process is replaced; False where systemd takes the change without.
    `adopt`: nothing is changed, an installed unit of which nothing is known is held against the gate.
    `before`: the process (systemd's InvocationID) that ran when the attempt began.
    `touched`: an attempt that this one supersedes had already stopped what was verified.
    `instance`, `restarts`: the process that was started, and systemd's count of its restarts at that moment.
    """

    goal: str
    phase: Phase = Phase.STAGING
    back: bool = False
    restart: bool = True
    adopt: bool = False
    failed: str | None = None
    why: Reason | None = None
    before: str = ""
    instance: str = ""
    restarts: int = 0
    boot: str = ""
    touched: bool = False


class Record(NamedTuple):
    """`verified`: the unit that last passed gate and bake, ABSENT where none did. `previous`: the one before it.

    `quarantine`: units that failed, each with its reason; they are not tried again. `broken`: going back failed too.
    `again`: a person asked for another try of what is verified.
    """

    verified: str = ABSENT
    previous: str = ABSENT
    attempt: Attempt | None = None
    quarantine: tuple[tuple[str, Reason], ...] = ()
    broken: Reason | None = None
    again: bool = False

    def failure(self, unit: str) -> Reason | None:
        """Why a unit is in quarantine; None where it is not."""
        return next((reason for failed, reason in self.quarantine if failed == unit), None)

    def condemn(self, unit: str, reason: Reason) -> Record:
        """The record with this unit in quarantine, too; of too many the oldest goes."""
        return self._replace(quarantine=(*self.without(unit), (unit, reason))[-MOST_QUARANTINED:])

    def without(self, unit: str) -> tuple[tuple[str, Reason], ...]:
        """The quarantine less one unit."""
        return tuple(each for each in self.quarantine if each[0] != unit)
