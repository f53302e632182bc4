"""A host to try a `Manager` on: a simulated one, or a real systemd with what others do to it."""

from __future__ import annotations

import contextlib
import itertools
import signal
import time
from typing import TYPE_CHECKING, Protocol

from sgfleet.systemd.port import FileKind, UnitFile
from support.inside_manager import InsideManager
from support.private_systemd.faults import full_disk, read_only
from support.simulated_systemd import Fault, SimulatedSystemd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sgfleet.systemd.port import Manager, UnitState
    from support.private_systemd import PrivateSystemd
    from support.private_systemd.users import User

_NUMBERS = itertools.count(1)
FOLDERS = {"system": "/etc/systemd/system", "user": "/home/{}/.config/systemd/user"}


class Host(Protocol):
    """What a test of conformance needs beside the manager itself."""

    manager: Manager

    def name(self) -> str:
        """A new name of a unit, which is gone after the test."""
        ...

    def wait(self, name: str, until: Callable[[UnitState], bool]) -> UnitState:
        """The first state seen of which that is true; fails after a while."""
        ...

    def trapped(self, pid: int) -> None:
        """Wait until a process has said what a SIGTERM shall do: it runs before that."""
        ...

    def put(self, name: str, kind: FileKind) -> None:
        """Somebody puts that at the unit's path."""
        ...

    def put_drop_in(self, name: str) -> str:
        """Somebody adds a drop-in; returns its path."""
        ...

    def kill(self, pid: int) -> None:
        """A process is killed by somebody else."""
        ...

    def left(self, name: str) -> int:
        """How many files beside the unit's own are there for it."""
        ...

    def full(self) -> contextlib.AbstractContextManager[None]:
        """The disk is full."""
        ...

    def read_only(self) -> contextlib.AbstractContextManager[None]:
        """The folder of units cannot be written."""
        ...

    def clean(self) -> None:
        """Stop and remove all units that were named."""
        ...


class SimulatedHost:
    """See `Host`."""

    def __init__(self) -> None:
        self.manager = SimulatedSystemd()

    def name(self) -> str:
        return f"unit-{next(_NUMBERS)}.service"

    def wait(self, name: str, until: Callable[[UnitState], bool]) -> UnitState:
        for _ in range(1000):
            state = self.manager.show([name])[name]
            if until(state):
                return state
            self.manager.advance(1)
        raise AssertionError(state)

    def trapped(self, pid: int) -> None:
        pass

    def put(self, name: str, kind: FileKind) -> None:
        self.manager.put(name, UnitFile(kind, target="/dev/null" if kind is FileKind.MASKED else ""))

    def put_drop_in(self, name: str) -> str:
        path = f"/etc/systemd/system/{name}.d/local.conf"
        self.manager.put_drop_in(name, path)
        return path

    def kill(self, pid: int) -> None:
        for name, unit in self.manager.world.units:
            if unit.main_pid == pid:
                return self.manager.kill_main(name)
        return self.manager.kill(pid)

    def left(self, name: str) -> int:
        return sum(unit == name for unit, _ in self.manager.world.staged)

    @contextlib.contextmanager
    def full(self) -> Iterator[None]:
        self.manager.set_faults(Fault.NO_SPACE)
        yield
        self.manager.set_faults()

    @contextlib.contextmanager
    def read_only(self) -> Iterator[None]:
        self.manager.set_faults(Fault.READ_ONLY)
        yield
        self.manager.set_faults()

    def clean(self) -> None:
        pass


class RealHost:
    """See `Host`. With `user`, it is that user's manager."""

    def __init__(self, systemd: PrivateSystemd, user: User | None = None) -> None:
        self.systemd = systemd
        self.manager = InsideManager(systemd, user)
        self.folder = FOLDERS["user"].format(user.name) if user else FOLDERS["system"]
        if user is not None:  # the user's own, whoever puts the first file there: `put` is root's
            systemd.run(*user.become, "mkdir", "-p", self.folder)
        self._names: list[str] = []

    def name(self) -> str:
        self._names.append(f"unit-{next(_NUMBERS)}.service")
        return self._names[-1]

    def wait(self, name: str, until: Callable[[UnitState], bool]) -> UnitState:
        deadline = time.monotonic() + 20
        while True:
            state = self.manager.show([name])[name]
            if until(state):
                return state
            assert time.monotonic() < deadline, state
            time.sleep(0.005)

    def trapped(self, pid: int) -> None:
        deadline = time.monotonic() + 20
        while not self._handles(pid, signal.SIGTERM):
            assert time.monotonic() < deadline
            time.sleep(0.005)

    def _handles(self, pid: int, number: signal.Signals) -> bool:
        """Whether a process catches or ignores a signal."""
        status = self.systemd.run("cat", f"/proc/{pid}/status").stdout
        masks = [line.split()[1] for line in status.splitlines() if line.startswith(("SigIgn:", "SigCgt:"))]
        return any(int(mask, 16) >> (number - 1) & 1 for mask in masks)

    def put(self, name: str, kind: FileKind) -> None:
        path = self._path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        match kind:
            case FileKind.EMPTY:
                path.touch()
            case FileKind.MASKED:
                path.symlink_to("/dev/null")
            case FileKind.LINK:
                path.symlink_to("/etc/passwd")
            case FileKind.OTHER:
                path.mkdir()  # a pipe would do for our reader, but systemd itself would wait in it for ever

    def put_drop_in(self, name: str) -> str:
        path = self._path(f"{name}.d")
        path.mkdir(parents=True)
        path.joinpath("local.conf").write_text("[Service]\nNice=1\n")
        return f"{self.folder}/{name}.d/local.conf"

    def kill(self, pid: int) -> None:
        self.systemd.run("kill", f"-{signal.SIGKILL.value}", str(pid))

    def left(self, name: str) -> int:
        return sum(name in entry.name and entry.name != name for entry in self._path("").iterdir())

    def full(self) -> contextlib.AbstractContextManager[None]:
        return full_disk(self.systemd)

    def read_only(self) -> contextlib.AbstractContextManager[None]:
        return read_only(self.systemd, self.folder)

    def clean(self) -> None:
        names, self._names = self._names, []
        for name in names:
            state = self.manager.show([name])[name]
            self.manager.stop(name)
            for pid in self.manager.processes(state.control_group) if state.control_group else ():
                self.systemd.run("kill", "-9", str(pid), check=False)
            self.wait(name, lambda state: state.at_rest)
            self.systemd.run("sh", "-c", f"rm -rf {self.folder}/{name}* {self.folder}/.{name}* {self.folder}/*/{name}")
            self.manager.reset_failed(name)
        self.manager.reload()

    def _path(self, name: str) -> Path:
        return self.systemd.path(f"{self.folder}/{name}")
