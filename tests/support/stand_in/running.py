"""A stand-in that runs as a child of the test."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from typing import TYPE_CHECKING

from support.stand_in.behaviour import control
from support.stand_in.environment import environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

PATIENCE_SECONDS = 30


class Running:
    """The process, its port, and what it is told."""

    def __init__(self, folder: Path, release: str, flags: tuple[str, ...], told: dict[str, Any]) -> None:
        self.model = folder / "model"
        self.model.mkdir(exist_ok=True)
        self.port = free_port()
        self.log = folder / "log"
        self.tell(**told)
        python = environment(folder / f"sglang-{release}", release)
        words = ("--model-path", str(self.model), "--port", str(self.port), *flags)
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [python, "-m", "sglang.launch_server", *words], stderr=log, start_new_session=True
            )

    def tell(self, **changes: Any) -> None:
        """What it does from now on."""
        control(self.model, **changes)

    def wait_until_bound(self, host: str = "127.0.0.1") -> None:
        """Until its port is open."""
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection((host, self.port), timeout=1):
                return
            time.sleep(0.01)
        raise AssertionError(f"it never listened: {self.log.read_text()[-2000:]}")

    def wait_until_ready(self) -> None:
        """Until it says so in its log."""
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            if "ready to roll" in self.log.read_text():
                return
            time.sleep(0.01)
        raise AssertionError(f"it was never ready: {self.log.read_text()[-2000:]}")

    def end(self) -> None:
        """With all that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextlib.contextmanager
def running(folder: Path, release: str = "0.5.9", *flags: str, **told: Any) -> Iterator[Running]:
    """A stand-in with these flags, told these things, until the block ends."""
    one = Running(folder, release, flags, told)
    try:
        yield one
    finally:
        one.end()


def free_port() -> int:
    """A port that nobody has at this moment."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]
