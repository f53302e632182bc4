"""A command that runs inside while the test goes on, and that can be killed at a moment of the test's choice."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from support.private_systemd.machine import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.private_systemd.instance import PrivateSystemd


class Process:
    """Started at once, in a session of its own. `popen` has pipes for all three streams, in bytes."""

    def __init__(self, systemd: PrivateSystemd, *argv: str | Path, environment: dict[str, str] | None = None) -> None:
        self.popen = subprocess.Popen(
            systemd.command(*map(str, argv)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT | (environment or {}),
            start_new_session=True,
        )

    @property
    def pid(self) -> int | None:
        """The command itself, as this machine numbers it, once it is inside; None before and when it has ended."""
        with contextlib.suppress(OSError, IndexError):
            return int(Path(f"/proc/{self.popen.pid}/task/{self.popen.pid}/children").read_text().split()[0])
        return None

    def kill(self, *, children: bool = False) -> None:
        """SIGKILL to the command alone, as a crash; or to its `children` of the same session as well."""
        if children:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.popen.pid, signal.SIGKILL)
        while self.popen.poll() is None:
            if pid := self.pid:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.001)

    def kill_when(self, moment: Callable[[], bool], *, timeout_seconds: float = 30.0) -> bool:
        """Kill it as soon as `moment()` is true; False if it had ended before."""
        deadline = time.monotonic() + timeout_seconds
        while self.popen.poll() is None:
            if moment():
                self.kill()
                return self.popen.returncode == -signal.SIGKILL or self.popen.returncode == 128 + signal.SIGKILL
            if time.monotonic() > deadline:
                self.kill(children=True)
                raise AssertionError(f"the moment did not come within {timeout_seconds:g} s")
            time.sleep(0.0005)
        return False
