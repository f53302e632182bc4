"""One private systemd, from the machine's side."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from support.private_systemd import cgroups
from support.private_systemd.machine import CHECKOUT, ENVIRONMENT, SystemdUnavailableError, unavailable
from support.private_systemd.record import Record, locked, started, sweep_locked
from support.private_systemd.root import AGAIN, SHUTDOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

BOOT_SECONDS = 60.0


class PrivateSystemd:
    """A running instance. `share` is the folder that both sides see under the same path."""

    def __init__(self, record: Record, launcher: subprocess.Popen[bytes] | None = None) -> None:
        self.record = record
        self.name = record.name
        self.share = record.folder / "share"
        self._launcher = launcher  # only where this process has booted it

    @classmethod
    def boot(
        cls, name: str, *, dies_with_caller: bool = False, limits: bool = False, folders: Sequence[Path] = ()
    ) -> PrivateSystemd:
        """Start an instance and wait until its system is up. Raises `SystemdUnavailableError`.

        With `dies_with_caller` it ends with the calling process, however that ends. With `limits`, MemoryMax= and
        TasksMax= bite also on a machine whose memory and pids controllers are cgroup v1; elsewhere they do anyway.
        `folders` of this machine are seen inside under the same paths, read-only.
        """
        if reason := unavailable():
            raise SystemdUnavailableError(reason)
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,40}", name):
            raise ValueError(f"the name of an instance is small letters, digits and dashes: {name!r}")
        record = _claim(name, limits=limits)
        launcher = None
        deadline = time.monotonic() + BOOT_SECONDS
        try:
            launcher = _launch(record, dies_with_caller=dies_with_caller, limits=limits, folders=folders)
            init = _wait_for_init(launcher.pid, deadline)
            record = replace(record, init=init, init_started=started(init), keeper=launcher.pid)
            record.write()
            instance = cls(record, launcher)
            instance._wait_until_up(deadline)
        except BaseException as error:
            log = record.folder.joinpath("boot.log").read_text(errors="replace")[-4000:] if launcher else ""
            if launcher:
                _kill(launcher.pid)
                launcher.wait()
            record.clear()
            if isinstance(error, SystemdUnavailableError | OSError):
                raise SystemdUnavailableError(f"{error}\n{log}".strip()) from None
            raise
        return instance

    @classmethod
    def find(cls, name: str) -> PrivateSystemd:
        """The running instance of that name. Raises `SystemdUnavailableError`."""
        record = Record.read(name)
        if record is None or not record.alive:
            raise SystemdUnavailableError(f"{name} is not running")
        return cls(record)

    def stop(self) -> None:
        """End the instance: its PID 1 is killed, and the kernel ends the rest. Everything it left is removed."""
        if self.record.alive:
            _kill(self.record.init)
        if self._launcher:
            self._launcher.wait()
        self.record.clear()

    def reboot(self, *, power_cut: bool = False) -> None:
        """Boot again: what was written to /etc, /var and all but /tmp, /run and /dev is still there.

        Services are stopped before, in order, unless it is a `power_cut`; then everything ends by SIGKILL at once. What
        had been written and not synced is kept in both cases: it is no test of a missing fsync. The boot id is new;
        the monotonic clock goes on, since the kernel has not booted.
        """
        if not power_cut:
            self.run("systemctl", "start", "--job-mode=replace-irreversibly", SHUTDOWN)
        self.record.folder.joinpath(AGAIN).touch()
        deadline = time.monotonic() + BOOT_SECONDS
        _kill(self.record.init)
        init = _wait_for_init(self.record.keeper, deadline)
        self.record = replace(self.record, init=init, init_started=started(init))
        self.record.write()
        self._wait_until_up(deadline)

    def command(self, *argv: str, cwd: str | Path = "/") -> list[str]:
        """The command line that runs `argv` inside, for callers that start processes themselves."""
        namespaces = ["--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--root"]
        enter = ["nsenter", f"--target={self.record.init}", *namespaces, "--"]
        return [*enter, "sh", "-c", 'cd "$0" && exec "$@"', str(cwd), *argv]

    def run(
        self,
        *argv: str | Path,
        check: bool = True,
        input: str | None = None,  # noqa: A002 - as in subprocess
        timeout_seconds: float = 60.0,
        environment: dict[str, str] | None = None,
        cwd: str | Path = "/",
    ) -> subprocess.CompletedProcess[str]:
        """Run a command inside, as root, in a small environment of its own. With `check`, a failure raises."""
        done = subprocess.run(
            self.command(*map(str, argv), cwd=cwd),
            input=input,
            stdin=subprocess.DEVNULL if input is None else None,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=timeout_seconds,
            env=ENVIRONMENT | (environment or {}),
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(
                f"{' '.join(map(str, argv))[:200]}: exit {done.returncode}\n{done.stdout}{done.stderr}"
            )
        return done

    def path(self, inside: str | Path) -> Path:
        """The file at that path inside, as the calling process reaches it.

        An absolute symbolic link on the way would lead to the machine's own file: no folder of the path may be one.
        """
        root = Path(f"/proc/{self.record.init}/root")
        found = root
        for part in Path(inside).parts[1:]:
            if found != root and found.is_symlink():
                raise ValueError(f"{inside} leads through a symbolic link")
            found /= part
        return found

    def install(self, name: str, text: str | bytes, *, reload: bool = True) -> Path:
        """Put a unit (or with `NAME.d/FILE` a drop-in) into /etc/systemd/system and let systemd read it."""
        target = self.path(f"/etc/systemd/system/{name}")
        target.parent.mkdir(exist_ok=True)
        new = target.with_name(f".{target.name}.new")
        new.write_bytes(text.encode() if isinstance(text, str) else text)
        new.replace(target)  # never through a link: those that `systemctl mask` leaves lead to the machine's files
        if reload:
            self.run("systemctl", "daemon-reload")
        return target

    def remove(self, name: str, *, reload: bool = True) -> None:
        """Stop a unit and take its file away."""
        self.run("systemctl", "stop", name, check=False)
        self.run("systemctl", "reset-failed", name, check=False)
        self.path(f"/etc/systemd/system/{name}").unlink(missing_ok=True)
        if reload:
            self.run("systemctl", "daemon-reload")

    def start(self, name: str, *, check: bool = True) -> subprocess.CompletedProcess[str]:
        """`systemctl start`; a oneshot has run when it returns. With `check`, a failure raises with the journal."""
        done = self.run("systemctl", "start", name, check=False)
        if check and done.returncode:
            raise AssertionError(f"{done.stderr}{self.journal(name)[-4000:]}")
        return done

    def show(self, name: str, *properties: str) -> dict[str, str]:
        """Properties of a unit, all of them if none is named."""
        wanted = [f"--property={','.join(properties)}"] if properties else []
        lines = self.run("systemctl", "show", *wanted, "--", name).stdout.split("\n")
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def journal(self, name: str) -> str:
        """What the unit logged, and what systemd said about it."""
        return self.run("journalctl", "--quiet", "--no-pager", "--output=cat", f"--unit={name}", check=False).stdout

    def _wait_until_up(self, deadline: float) -> None:
        while time.monotonic() < deadline:
            state = self.run("systemctl", "is-system-running", check=False).stdout.strip()
            if state in {"running", "degraded"}:
                return
            if not self.record.alive:
                raise SystemdUnavailableError("systemd ended while it booted")
            time.sleep(0.05)
        raise SystemdUnavailableError(f"systemd was not up after {BOOT_SECONDS:.0f} s")


def _claim(name: str, *, limits: bool) -> Record:
    with locked():
        sweep_locked()
        record = Record(name, os.getpid(), started(os.getpid()), cgroups.plan(name, limits=limits))
        if record.folder.exists():
            raise SystemdUnavailableError(f"there is an instance of that name: {record.folder}")
        for part in ("root", "layer", "share"):
            record.folder.joinpath(part).mkdir(parents=True)
        record.write()
    return record


def _launch(
    record: Record, *, dies_with_caller: bool, limits: bool, folders: Sequence[Path]
) -> subprocess.Popen[bytes]:
    """The keeper, in a mount namespace of its own."""
    argv = ["setpriv", "--pdeathsig", "KILL"] if dies_with_caller else []
    argv += ["unshare", "--mount", "--propagation", "private"]
    argv += [sys.executable, "-m", "support.private_systemd", "keep", str(record.folder), *map(str, folders)]
    argv += ["--limits"] if limits else []
    environment = ENVIRONMENT | {"PYTHONPATH": str(CHECKOUT / "tests"), "PYTHONDONTWRITEBYTECODE": "1"}
    with record.folder.joinpath("boot.log").open("wb") as log:
        return subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, start_new_session=True, cwd="/"
        )


def _wait_for_init(keeper: int, deadline: float) -> int:
    """The only child of the keeper's only child, once it has become systemd."""
    while time.monotonic() < deadline:
        if started(keeper) is None:
            raise SystemdUnavailableError("the namespaces could not be set up")
        with contextlib.suppress(OSError, IndexError):
            init = _child(_child(keeper))
            if Path(f"/proc/{init}/comm").read_text().strip() == "systemd" and started(init) is not None:
                return init
        time.sleep(0.02)
    raise SystemdUnavailableError("systemd did not start")


def _child(pid: int) -> int:
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    for _ in range(500):
        if started(pid) is None:
            return
        time.sleep(0.01)
    raise SystemdUnavailableError(f"process {pid} does not end")
