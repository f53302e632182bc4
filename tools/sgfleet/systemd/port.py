"""What sgfleet asks of a systemd manager, and what it gets back. No I/O: `manager` is the real one.

Whoever decides (the agent's planner) knows these types alone. The conformance suite in tests/systemd runs over the real
manager and over the simulated one, so that what is explored on the latter holds for the former.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

UNIT_NAME: Final = re.compile(r"[a-z0-9A-Z][a-z0-9A-Z_.-]{0,199}\.(?:service|timer)")
"""Names that reach a command line or a path: no template, no escape, no leading dash or dot; systemd's limit is 255."""
INVOCATION_ID: Final = re.compile(r"[0-9a-f]{32}")
MOST_UNIT_BYTES: Final = 2**20
"""No unit file is longer. A rendered one has a few KiB; systemd itself refuses lines of more than 1 MiB."""


class Failure(enum.Enum):
    """Why a call did not do what it says. The value is the word in messages and logs."""

    NOT_RUNNING = "systemd is not running"
    """No manager answers: nothing was done."""
    TIMEOUT = "systemd did not answer in time"
    """Whether it was done is unknown: look before acting again."""
    REFUSED = "systemd refused"
    """The manager or the file system says no; again and again, until something changes."""
    NO_SPACE = "no space left"
    """ENOSPC or EDQUOT. The old file stands untouched, nothing of the new one is left."""
    READ_ONLY = "read-only file system"
    """EROFS. Nothing was changed."""
    BAD_NAME = "not a unit name"
    """The name was never passed on."""


class SystemdError(Exception):
    """A call failed. The message is one line and names the unit or file."""

    def __init__(self, failure: Failure, message: str) -> None:
        super().__init__(message)
        self.failure = failure


def checked_name(name: str) -> str:
    """The name, if it may reach a command line or a path.

    Raises:
        SystemdError: BAD_NAME.
    """
    if not UNIT_NAME.fullmatch(name):
        raise SystemdError(Failure.BAD_NAME, f"{name[:80]!r} is no name of a unit that is managed here")
    return name


@dataclass(frozen=True, slots=True)
class UnitState:
    """What systemd says of a unit. Field by field the property of the same name in systemd's D-Bus interface."""

    name: str
    """As it was asked for; an alias is answered for by the unit that it names."""
    load_state: str = "not-found"
    """loaded, not-found, masked, bad-setting, error."""
    active_state: str = "inactive"
    """active, reloading, inactive, failed, activating, deactivating. A crash loop reads activating, never failed."""
    sub_state: str = "dead"
    """running, dead, failed, start, auto-restart, stop-sigterm, stop-sigkill, exited and more."""
    result: str = "success"
    """success, exit-code, signal, core-dump, oom-kill, timeout, start-limit-hit, resources, protocol, watchdog. Of the
    run that is under way or was last; a start that the limit refused leaves it as it was, unless it was success."""
    restarts: int = 0
    """NRestarts: automatic ones since the last start by hand; reset-failed sets it to 0, of a running unit too."""
    main_pid: int = 0
    """0: there is none."""
    exec_main_code: int = 0
    """How the last main process ended: 0 it did not, 1 exited, 2 killed, 3 dumped core (CLD_* of waitid)."""
    exec_main_status: int = 0
    """Its exit status or signal number. 203 is systemd's own: the executable could not be started."""
    invocation_id: str = ""
    """32 hex digits, new with each start, automatic ones too. Empty before the first, and again once systemd
    has dropped the unit from memory, as it does with what is inactive, not failed, and wanted by nothing."""
    job: int = 0
    """The job that is queued or under way; 0: none. Right after start(), a unit may still read inactive with a job."""
    fragment_path: str = ""
    """The file that is loaded; empty where there is none."""
    drop_ins: tuple[str, ...] = ()
    """Paths of the drop-ins that are loaded, in order. Those on disk: `Manager.drop_ins`."""
    needs_reload: bool = False
    """The file, or a drop-in that is loaded, changed since. A start would take what is loaded, not what is on disk."""
    unit_file_state: str = ""
    """enabled, disabled, static, masked, linked and more; empty where there is no file."""
    control_group: str = ""
    """Its path below the manager's cgroup root; empty while it has no processes."""
    state_change_monotonic_usec: int = 0
    """Of the last change of active_state, in microseconds since boot (CLOCK_MONOTONIC); 0: never."""
    active_enter_monotonic_usec: int = 0
    """When it last became active, on the same clock; 0: never since boot."""

    @property
    def running(self) -> bool:
        """It is active, has a main process and nothing is queued for it. Says nothing of whether it serves."""
        return self.active_state == "active" and self.main_pid > 0 and self.job == 0

    @property
    def at_rest(self) -> bool:
        """Stopped or failed, with nothing queued: it will stay so until somebody starts it."""
        return self.active_state in {"inactive", "failed"} and self.job == 0


class FileKind(enum.Enum):
    """What stands at a unit's path. Only REGULAR has content that was read."""

    ABSENT = "absent"
    REGULAR = "regular"
    EMPTY = "empty"
    """A regular file of no bytes: systemd takes the unit for masked. Also what a torn write leaves."""
    MASKED = "masked"
    """A symbolic link to /dev/null, as `systemctl mask` makes it."""
    LINK = "symbolic link"
    TOO_LARGE = "too large"
    OTHER = "not a regular file"


@dataclass(frozen=True, slots=True)
class UnitFile:
    """A unit's path in the folder that the manager owns, looked at without following links."""

    kind: FileKind
    content: bytes = b""
    mode: int = 0
    """Permission bits; 0 where there is no regular file."""
    owner: int = 0
    """User id; 0 also where there is no regular file."""
    target: str = ""
    """Where a LINK leads, as it is written."""


@dataclass(frozen=True, slots=True)
class ProcessMemory:
    """What the processes hold that goes when they end. Clean pages of files are not in it."""

    anonymous_bytes: int
    """RssAnon, summed."""
    shared_bytes: int
    """RssShmem, summed: a segment that several map is counted by each of them."""
    processes: int
    """How many of those asked for are still there."""


class Manager(Protocol):
    """One systemd manager: the system's, or a user's.

    Every call may raise `SystemdError`, and returns within its time limit. None waits for a service: `start` and `stop`
    queue a job, `show` tells what became of it.
    """

    def show(self, names: Sequence[str]) -> dict[str, UnitState]:
        """The state of each unit, asked for in one call. A unit that does not exist is in it as not-found."""
        ...

    def installed(self) -> tuple[str, ...]:
        """The sorted names of all .service entries in the folder, whatever they are. Starts no process."""
        ...

    def read(self, name: str) -> UnitFile:
        """What stands at the unit's path."""
        ...

    def drop_ins(self, name: str) -> tuple[str, ...]:
        """The paths of all drop-ins that the next reload will load for the unit, wherever they stand; sorted.

        Not the same as those of `UnitState`: a new one shows there, and in `needs_reload`, only once it is in force.
        """
        ...

    def stage(self, name: str, content: bytes) -> None:
        """Write the content to stable storage beside the unit's path, hidden from systemd, and read it back.

        Several contents of one name can be staged. What is staged can be installed when the disk is full: so the new
        unit, and the old one for going back, are staged before a service is stopped.
        """
        ...

    def install(self, name: str, content: bytes) -> None:
        """Put the unit in place, whole or not at all, mode 0644, durable when it returns; read back.

        Takes the staged copy if there is one, and stages it otherwise. Refuses to replace anything but a regular file
        (an empty one included): a link or a mask is somebody's intention. Empty content is refused.
        """
        ...

    def remove(self, name: str) -> None:
        """Take the unit's file away, durably; nothing happens where there is none. Refuses what `install` refuses."""
        ...

    def discard(self, name: str) -> None:
        """Remove all that is staged for the unit, left by killed runs too."""
        ...

    def reload(self) -> None:
        """daemon-reload: read all unit files again. Running services go on as they were started."""
        ...

    def reset_failed(self, name: str) -> None:
        """Forget failure, start limit and NRestarts; nothing happens for a unit that is not loaded."""
        ...

    def start(self, name: str) -> None:
        """Queue a start. Refused where the unit is masked, not found or not well-formed.

        That it returns says nothing more. It was started if `invocation_id` is another one than before; where that is
        the same (or empty) and no job is left, the start limit or a condition has refused it, or it ended at once.
        """
        ...

    def stop(self, name: str) -> None:
        """Queue a stop; nothing happens for a unit that is not loaded."""
        ...

    def enable(self, name: str) -> None:
        """Make the links that its [Install] section asks for: it is started at boot."""
        ...

    def disable(self, name: str) -> None:
        """Remove these links."""
        ...

    def journal(self, name: str, invocation_id: str, lines: int) -> tuple[str, ...]:
        """The last lines that this run of the unit logged, and what systemd said of it; oldest first.

        Bounded in bytes, free of control characters. Secrets that the service prints are in it.
        """
        ...

    def verify(self, name: str, content: bytes) -> tuple[str, ...]:
        """What systemd has against the text, a line each; what the host lacks is no complaint."""
        ...

    def processes(self, control_group: str) -> tuple[int, ...]:
        """The sorted ids of all processes in a unit's control group and below; none where it is gone."""
        ...

    def memory_of(self, pids: Sequence[int]) -> ProcessMemory:
        """What these processes hold in RAM. Those that have ended count for nothing."""
        ...
