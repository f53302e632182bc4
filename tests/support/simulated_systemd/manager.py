"""`Manager` over a simulated host."""

from __future__ import annotations

import copy
import signal
from dataclasses import replace
from typing import TYPE_CHECKING

from sgfleet.systemd.port import (
    INVOCATION_ID,
    Failure,
    FileKind,
    ProcessMemory,
    SystemdError,
    UnitFile,
    UnitState,
    checked_name,
)
from support.simulated_systemd import transitions
from support.simulated_systemd.script import Script
from support.simulated_systemd.world import Fault, Unit, World

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FOLDER = "/etc/systemd/system"
PROCESS_BYTES = 2**20
"""What each process holds."""


class CrashError(BaseException):
    """The caller is killed here. No `Exception`: nothing may catch it."""


class SimulatedSystemd:
    """A `Manager` in memory: deterministic, and its whole state is `world`, a value to keep, compare and put back.

    `read` says what a unit's text does. Time passes only in `advance`. With `crash_after`, `CrashError` is raised once
    that many side effects have happened, between that effect and the next; `effects` counts them.
    """

    def __init__(
        self,
        world: World | None = None,
        read: Callable[[bytes], Script | None] = Script.read,
        crash_after: int | None = None,
    ) -> None:
        self.world = world or World()
        self.read_script = read
        self.crash_after = crash_after
        self.effects = 0

    def fork(self) -> SimulatedSystemd:
        """Another host in the same state."""
        return copy.copy(self)

    # What happens to the host by itself, or by somebody else's hand.

    def advance(self, milliseconds: int) -> None:
        """Let time pass."""
        end = self.world.clock + milliseconds
        while True:
            due = [(unit.due, name) for name, unit in self.world.units if unit.due is not None and unit.due <= end]
            if not due:
                break
            when, name = min(due)
            self.world = transitions.happens(replace(self.world, clock=max(when, self.world.clock)), name)
        self.world = replace(self.world, clock=end)

    def next_event(self) -> int | None:
        """In how many milliseconds something will happen by itself."""
        return min((unit.due - self.world.clock for _, unit in self.world.units if unit.due is not None), default=None)

    def kill_main(self, name: str, number: int = signal.SIGKILL) -> None:
        """A signal ends the main process, as the kernel does when memory is short."""
        self.world = transitions.main_ends(self.world, name, 2, number)

    def kill(self, pid: int) -> None:
        """A process that a service left behind ends."""
        self.world = replace(self.world, processes=tuple(pair for pair in self.world.processes if pair[0] != pid))

    def reboot(self) -> None:
        """The host starts anew; files are as they were."""
        self.world = transitions.boot(self.world, self.read_script)

    def put(self, name: str, file: UnitFile) -> None:
        """Somebody else changes what stands at a unit's path."""
        self.world = self.world.with_file(name, file)

    def put_drop_in(self, name: str, path: str) -> None:
        """Somebody else adds a drop-in."""
        self.world = replace(self.world, drop_ins=tuple(sorted({*self.world.drop_ins, (name, path)})))

    def set_faults(self, *faults: Fault) -> None:
        """From now on these are wrong, and no others."""
        self.world = replace(self.world, faults=frozenset(faults))

    # `Manager`

    def show(self, names: Sequence[str]) -> dict[str, UnitState]:
        """See `Manager`."""
        for name in names:
            checked_name(name)
        if names:
            self._ask()
        return {name: self._state(name) for name in names}

    def installed(self) -> tuple[str, ...]:
        """See `Manager`."""
        return tuple(name for name, _ in self.world.files if name.endswith(".service"))

    def read(self, name: str) -> UnitFile:
        """See `Manager`."""
        return self.world.file(checked_name(name))

    def drop_ins(self, name: str) -> tuple[str, ...]:
        """See `Manager`."""
        checked_name(name)
        return tuple(path for unit, path in self.world.drop_ins if unit == name)

    def stage(self, name: str, content: bytes) -> None:
        """See `Manager`."""
        checked_name(name)
        if not content:
            raise SystemdError(Failure.REFUSED, f"{name} would be empty")
        if (name, content) in self.world.staged:
            return
        self._write()
        if Fault.NO_SPACE in self.world.faults:
            raise SystemdError(Failure.NO_SPACE, f"cannot write {FOLDER}/{name}: no space left on device")
        # A kill in between leaves a torn one.
        torn = (name, content[: len(content) // 2])
        self._effect(replace(self.world, staged=self.world.staged | {torn}))
        self._effect(replace(self.world, staged=self.world.staged - {torn} | {(name, content)}))

    def install(self, name: str, content: bytes) -> None:
        """See `Manager`."""
        there = self._replaceable(name)
        if there.content == content and content:
            return
        self.stage(name, content)
        self._write()
        world = replace(self.world, staged=self.world.staged - {(name, content)})
        self._effect(world.with_file(name, UnitFile(FileKind.REGULAR, content, 0o644)))

    def remove(self, name: str) -> None:
        """See `Manager`."""
        if self._replaceable(name).kind is not FileKind.ABSENT:
            self._write()
            self._effect(self.world.with_file(name, UnitFile(FileKind.ABSENT)))

    def discard(self, name: str) -> None:
        """See `Manager`."""
        checked_name(name)
        staged = frozenset(each for each in self.world.staged if each[0] == name)
        if staged:
            self._write()
            self._effect(replace(self.world, staged=self.world.staged - staged))

    def reload(self) -> None:
        """See `Manager`."""
        self._ask(lambda: transitions.reload(self.world, self.read_script))

    def reset_failed(self, name: str) -> None:
        """See `Manager`."""
        checked_name(name)
        self._ask(lambda: transitions.reset_failed(self.world, name))

    def start(self, name: str) -> None:
        """See `Manager`."""
        checked_name(name)
        self._ask()
        unit = self._unit(name)
        if unit.load_state != "loaded":
            raise SystemdError(Failure.REFUSED, f"start of {name}: {unit.load_state}")
        self._ask(lambda: transitions.start(self.world, name, self.read_script))

    def stop(self, name: str) -> None:
        """See `Manager`."""
        checked_name(name)
        self._ask(lambda: transitions.stop(self.world, name, self.read_script))

    def enable(self, name: str) -> None:
        """See `Manager`."""
        checked_name(name)
        self._ask()
        file = self.world.file(name)
        if file.kind is not FileKind.REGULAR:
            raise SystemdError(Failure.REFUSED, f"enable of {name}: {file.kind.value}")
        script = self.read_script(file.content)
        if script and script.wanted and name not in self.world.links:
            self._write()
            if Fault.NO_SPACE in self.world.faults:  # a tmpfs may have room for a link; the caller must not count on it
                raise SystemdError(Failure.NO_SPACE, f"enable of {name}: no space left on device")
            self._effect(replace(self.world, links=self.world.links | {name}))

    def disable(self, name: str) -> None:
        """See `Manager`."""
        checked_name(name)
        self._ask()
        if name in self.world.links:
            self._write()
            self._effect(replace(self.world, links=self.world.links - {name}))

    def journal(self, name: str, invocation_id: str, lines: int) -> tuple[str, ...]:
        """See `Manager`."""
        checked_name(name)
        if not INVOCATION_ID.fullmatch(invocation_id):
            raise SystemdError(Failure.REFUSED, f"{invocation_id[:40]!r} is no invocation id")
        said = tuple(line for number, line in self.world.journal if _invocation_id(number) == invocation_id)
        return said[-max(1, lines) :]

    def verify(self, name: str, content: bytes) -> tuple[str, ...]:
        """See `Manager`."""
        checked_name(name)
        return () if self.read_script(content) else (f"{name}: nothing that this systemd reads",)

    def processes(self, control_group: str) -> tuple[int, ...]:
        """See `Manager`."""
        return self.world.processes_of(control_group.rpartition("/")[2])

    def memory_of(self, pids: Sequence[int]) -> ProcessMemory:
        """See `Manager`."""
        there = len(set(pids) & {pid for pid, _ in self.world.processes})
        return ProcessMemory(there * PROCESS_BYTES, 0, there)

    def _unit(self, name: str) -> Unit:
        return transitions.unit_of(self.world, name, self.read_script)

    def _state(self, name: str) -> UnitState:
        unit, file = self._unit(name), self.world.file(name)
        is_unit = unit.load_state not in {"not-found", "masked"}
        gone = set(unit.drop_ins) - {path for owner, path in self.world.drop_ins if owner == name}
        return UnitState(
            name=name,
            load_state=unit.load_state,
            active_state=unit.active,
            sub_state=unit.sub,
            result=unit.result,
            restarts=unit.restarts,
            main_pid=unit.main_pid,
            exec_main_code=unit.code,
            exec_main_status=unit.status,
            invocation_id=_invocation_id(unit.invocation),
            job=unit.job,
            fragment_path=f"{FOLDER}/{name}" if unit.load_state != "not-found" else "",
            drop_ins=unit.drop_ins,
            needs_reload=(is_unit and unit.content != file.content) or bool(gone),
            unit_file_state=self._file_state(name, unit),
            control_group=f"/system.slice/{name}" if self.world.processes_of(name) else "",
            state_change_monotonic_usec=unit.changed * 1000,
            active_enter_monotonic_usec=unit.entered * 1000,
        )

    def _file_state(self, name: str, unit: Unit) -> str:
        """That a file is masked or gone is seen with the reload; that a unit is enabled, at once."""
        if unit.load_state in {"masked", "not-found"}:
            return {"masked": "masked"}.get(unit.load_state, "")
        if name in self.world.links:
            return "enabled"
        return "disabled" if unit.script and unit.script.wanted else "static"

    def _replaceable(self, name: str) -> UnitFile:
        there = self.world.file(checked_name(name))
        if there.kind in {FileKind.LINK, FileKind.MASKED, FileKind.OTHER}:
            raise SystemdError(Failure.REFUSED, f"{FOLDER}/{name} is {there.kind.value}")
        return there

    def _write(self) -> None:
        if Fault.READ_ONLY in self.world.faults:
            raise SystemdError(Failure.READ_ONLY, f"cannot write below {FOLDER}: read-only file system")

    def _ask(self, change: Callable[[], World] | None = None) -> None:
        """Ask the manager for something, or only whether it is there."""
        if Fault.DOWN in self.world.faults:
            raise SystemdError(Failure.NOT_RUNNING, "no manager answers")
        if change is not None:
            self._effect(change())
            if Fault.LOST_ANSWER in self.world.faults:
                raise SystemdError(Failure.TIMEOUT, "the manager did not answer in time")

    def _effect(self, world: World) -> None:
        if self.crash_after is not None and self.effects >= self.crash_after:
            raise CrashError
        self.world = world
        self.effects += 1


def _invocation_id(number: int) -> str:
    return f"{number:032x}" if number else ""
