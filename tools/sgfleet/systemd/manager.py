"""The real systemd: `systemctl` and the folder that belongs to whoever administers the manager.

Which manager, and which folder:

- The system manager, for root: /etc/systemd/system. It is the administrator's folder, comes before what packages bring
  (/usr/lib) and what is made at run time (/run), and survives a reboot.
- A user's manager, for the user that runs this: .config/systemd/user in the home that the user database names. Not
  /etc/systemd/user, which is everybody's and root's to write; not $XDG_CONFIG_HOME, which the manager, started at boot
  by `loginctl enable-linger`, does not have. Its socket is below /run/user/UID, asked for by that path: a timer's
  process has no XDG_RUNTIME_DIR of a session.

Programs are started with an environment of their own (see `program`), names are checked before they reach a command
line, and come after `--`.
"""

from __future__ import annotations

import os
import pwd
import shlex
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sgfleet.systemd import cgroup, drop_ins, program, show
from sgfleet.systemd.folder import UnitFolder
from sgfleet.systemd.port import Failure, SystemdError, checked_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgfleet.systemd.port import ProcessMemory, UnitFile, UnitState

PROGRAM: Final = "systemctl"
SYSTEM_FOLDER: Final = Path("/etc/systemd/system")
TIMEOUT_SECONDS: Final = 30.0
"""systemctl gives up by itself after 25 s without an answer; a healthy manager takes milliseconds."""
RELOAD_TIMEOUT_SECONDS: Final = 120.0
"""Generators run in a reload, and each may take 90 s."""


class SystemdManager:
    """A `Manager`: see there. Use `system()` or `user()`."""

    def __init__(self, folder: Path, scope: str, environment: dict[str, str]) -> None:
        self.folder = UnitFolder(folder)
        self._scope = scope
        self._environment = environment

    @classmethod
    def system(cls) -> SystemdManager:
        """The system manager."""
        return cls(SYSTEM_FOLDER, "--system", program.environment())

    @classmethod
    def user(cls) -> SystemdManager:
        """The manager of the user that runs this process."""
        user_id = os.geteuid()
        home = pwd.getpwuid(user_id).pw_dir
        return cls(Path(home, ".config/systemd/user"), "--user", program.environment(user_id, home))

    def show(self, names: Sequence[str]) -> dict[str, UnitState]:
        """See `Manager`."""
        if not names:
            return {}
        options = f"--property={','.join(show.PROPERTIES)}"
        output = self._systemctl("state", "show", names, options)
        return show.states(names, output.decode(errors="surrogateescape"))

    @cached_property
    def _unit_path(self) -> tuple[str, ...]:
        """The folders that this manager reads units from, first the ones that win; as it says itself."""
        output = self._systemctl("unit path", "show", (), "--property=UnitPath", "--value")
        return tuple(shlex.split(output.decode(errors="surrogateescape")))

    def installed(self) -> tuple[str, ...]:
        """See `Manager`."""
        return self.folder.installed()

    def read(self, name: str) -> UnitFile:
        """See `Manager`."""
        return self.folder.read(name)

    def drop_ins(self, name: str) -> tuple[str, ...]:
        """See `Manager`."""
        return drop_ins.on_disk(self._unit_path, name)

    def stage(self, name: str, content: bytes) -> None:
        """See `Manager`."""
        self.folder.stage(name, content)

    def install(self, name: str, content: bytes) -> None:
        """See `Manager`."""
        self.folder.install(name, content)

    def remove(self, name: str) -> None:
        """See `Manager`."""
        self.folder.remove(name)

    def discard(self, name: str) -> None:
        """See `Manager`."""
        self.folder.discard(name)

    def reload(self) -> None:
        """See `Manager`."""
        self._systemctl("daemon-reload", "daemon-reload", timeout_seconds=RELOAD_TIMEOUT_SECONDS)

    def reset_failed(self, name: str) -> None:
        """See `Manager`."""
        self._systemctl(f"reset-failed of {name}", "reset-failed", [name], harmless=b" not loaded.")

    def start(self, name: str) -> None:
        """See `Manager`."""
        self._systemctl(f"start of {name}", "start", [name], "--no-block", "--no-ask-password")

    def stop(self, name: str) -> None:
        """See `Manager`."""
        self._systemctl(f"stop of {name}", "stop", [name], "--no-block", "--no-ask-password", harmless=b" not loaded.")

    def enable(self, name: str) -> None:
        """See `Manager`."""
        self._systemctl(f"enable of {name}", "enable", [name], "--no-reload")

    def disable(self, name: str) -> None:
        """See `Manager`."""
        self._systemctl(f"disable of {name}", "disable", [name], "--no-reload", harmless=b" does not exist.")

    def journal(self, name: str, invocation_id: str, lines: int) -> tuple[str, ...]:
        """See `Manager`."""
        checked_name(name)
        from sgfleet.systemd import journal

        return journal.last_lines(invocation_id, lines, self._environment)

    def verify(self, name: str, content: bytes) -> tuple[str, ...]:
        """See `Manager`."""
        from sgfleet.systemd import verify  # what only a change needs is not loaded in a pass without one

        return verify.verify(name, content)

    def processes(self, control_group: str) -> tuple[int, ...]:
        """See `Manager`."""
        return cgroup.processes(control_group)

    def memory_of(self, pids: Sequence[int]) -> ProcessMemory:
        """See `Manager`."""
        return cgroup.memory_of(pids)

    def _systemctl(
        self,
        doing: str,
        verb: str,
        names: Sequence[str] = (),
        *options: str,
        timeout_seconds: float = TIMEOUT_SECONDS,
        harmless: bytes = b"",
    ) -> bytes:
        """What systemctl prints. An error that ends in `harmless` is none."""
        units = [checked_name(name) for name in names]
        words = (PROGRAM, self._scope, "--no-pager", "--quiet", *options, verb, "--", *units)
        answer = program.run(*words, environment=self._environment, timeout_seconds=timeout_seconds)
        if answer.code and not (harmless and answer.error.rstrip().endswith(harmless)):
            raise self._failure(doing, answer)
        return answer.output

    def _failure(self, doing: str, answer: program.Answer) -> SystemdError:
        """systemctl does not always say that the disk is read-only: a link to make, it says, does not exist."""
        error = program.failure(doing, answer)
        if error.failure is Failure.REFUSED and self.folder.read_only:
            return SystemdError(Failure.READ_ONLY, f"{error} ({self.folder.path} is on a read-only file system)")
        return error
