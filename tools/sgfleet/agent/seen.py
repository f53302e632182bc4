"""What the planner is told: what main asks for, what stands and runs on the host, and what the last look brought.

Plain values without clocks: whether a budget is over, or a bake long enough, is decided before (`budget`, `looking`).
So a decision can be repeated, and every sequence of them explored.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from sgfleet.agent.reason import Reason
from sgfleet.agent.record import ABSENT


class Wanted(NamedTuple):
    """What main asks for: the hash of a unit, or ABSENT. `refusal`: why this host does not take it, whatever runs."""

    unit: str = ABSENT
    refusal: Reason | None = None


UNREAD: Final = Reason("unread", "main was not read yet: what runs here is left alone")
"""The refusal of what nothing was said of so far. It is not even probed: what to ask it is not known either."""


class Live(Enum):
    """What systemd says of the service's process."""

    STOPPED = "stopped"
    FAILED = "failed"
    RUNNING = "running"
    STARTING = "starting"  # a job is queued, or ExecStartPre= runs
    RESTARTING = "restarting"  # it died, and systemd waits to start it again: reads activating, never failed
    STOPPING = "stopping"

    @property
    def at_rest(self) -> bool:
        """Nothing runs, and nothing will until somebody starts it."""
        return self in {Live.STOPPED, Live.FAILED}


class Action(Enum):
    """A side effect, or a look that costs something. Each can be done again without harm."""

    ADMIT = "admit"  # look: everything that can be checked before the running service is touched
    STAGE = "stage"
    STOP = "stop"
    INSTALL = "install"
    REMOVE = "remove"
    RELOAD = "reload"
    START = "start"
    PROBE = "probe"  # look: does it serve what was promised
    REFRESH = "refresh"  # other bytes, the same unit to systemd: written without touching the process
    WAIT = "wait"  # look again later


class Gate(NamedTuple):
    """`passed` is None while the server is not ready; `reason` says why it failed, or what is waited for."""

    passed: bool | None = None
    reason: Reason | None = None


class Drift(Enum):
    """What local policy says of a unit that somebody edited on the host."""

    REFUSE = "refuse"  # nothing new is applied over it
    REPORT = "report"  # it is said; the next change goes over it, with a copy kept
    CORRECT = "correct"  # it is put right at once, with a copy kept


class Seen(NamedTuple):
    """One look at a service.

    `installed`: the hash of the unit file that is ours, ABSENT where there is none; `exact`: its bytes are those that
    would be written now. `foreign`: something else stands in its place, or drop-ins change it. `reload_only`: systemd
    takes what is wanted over what is installed without another process. `clear`: no process of the service is left,
    and what it held is free. `overdue`: the phase's budget is over, with the arithmetic. `baked`: it has run long
    enough behind the gate. `admission`: True, a reason against it, or None where nobody looked yet.
    `done`, `error`: what the last action of this pass was, and what came of it.
    """

    installed: str = ABSENT
    exact: bool = True
    foreign: Reason | None = None
    live: Live = Live.STOPPED
    instance: str = ""
    restarts: int = 0
    boot: str = ""
    reload_only: bool = False
    clear: bool = True
    overdue: Reason | None = None
    gate: Gate = Gate()
    baked: bool = False
    admission: Reason | bool | None = None
    done: Action | None = None
    error: Reason | None = None


class Permit(NamedTuple):
    """Whether something new may begin. `word`: frozen, window, confirm, lock or report where it may not."""

    word: str | None = None
    reason: Reason | None = None
    drift: Drift = Drift.REFUSE


class Word(Enum):
    """The state of a service, for people and metrics."""

    STEADY = "steady"
    PENDING = "pending"
    FROZEN = "frozen"
    BLOCKED = "blocked"
    STAGING = "staging"
    STOPPING = "stopping"
    CLEARING = "clearing"
    STARTING = "starting"
    GATING = "gating"
    BAKING = "baking"
    ROLLED_BACK = "rolled-back"
    BROKEN = "broken"


class Status(NamedTuple):
    """A state and why."""

    word: Word
    reason: Reason | None = None
