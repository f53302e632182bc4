"""A real server on the loopback address, started from a rendered unit, and ended with all its children."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sgfleet.render.unit_reader import parse_unit
from sgfleet.render.unquoting import read_environment, read_exec

if TYPE_CHECKING:
    from pathlib import Path

READY_SECONDS = 150
END_SECONDS = 20


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def command_of(unit: str) -> tuple[list[str], dict[str, str]]:
    """The words and the variables that systemd would start the unit's process with."""
    parsed = parse_unit(unit)
    [command] = read_exec(parsed.value("Service", "ExecStart"))
    assert not command.unresolved
    assert not parsed.ignored
    variables = {}
    for value in parsed.values("Service", "Environment"):
        read = read_environment(value)
        assert not read.dropped
        variables |= {each.name: each.value for each in read.assignments}
    return list(command.argv), variables


@dataclass
class Server:
    """A process group with the server as its leader; what it prints goes to `log`."""

    process: subprocess.Popen
    port: int
    log: Path

    def get(self, path: str, body: dict | None = None) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with contextlib.closing(connection):
            if body is None:
                connection.request("GET", path)
            else:
                connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read()

    def wait_until_ready(self) -> None:
        until = time.monotonic() + READY_SECONDS
        while time.monotonic() < until:
            assert self.process.poll() is None, f"exit {self.process.returncode}\n{self.tail()}"
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self.get("/health")[0] == 200 and "ready to roll" in self.log.read_text(errors="replace"):
                    return
            time.sleep(0.5)
        raise AssertionError(f"not ready after {READY_SECONDS} s\n{self.tail()}")

    def tail(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-25:])


@contextlib.contextmanager
def running(argv, variables, port, log):
    with log.open("wb") as output:
        process = subprocess.Popen(
            argv, env=variables, cwd=log.parent, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
    try:
        yield Server(process, port, log)
    finally:
        for signal_ in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal_)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(END_SECONDS)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
