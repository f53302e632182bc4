"""Starts systemd's programs: bounded in time and in what they print, in an environment of their own."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from dataclasses import dataclass
from typing import Final

from sgfleet.systemd.port import Failure, SystemdError

MOST_BYTES: Final = 2**20
"""Of each stream. No answer that is asked for here is longer but journals, which may be cut."""
_PIECE: Final = 2**16
_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin"

_SAID: Final = (
    (Failure.NO_SPACE, ("No space left on device", "Disk quota exceeded")),
    (Failure.READ_ONLY, ("Read-only file system",)),
    (Failure.TIMEOUT, ("timed out", "did not reply")),
    (
        Failure.NOT_RUNNING,
        (
            "has not been booted with systemd",
            "Failed to connect to",
            "Transport endpoint is not connected",
            "Connection reset by peer",
            "Connection refused",
            "Host is down",
        ),
    ),
)
"""What the programs print in the C locale; their exit codes do not tell these apart."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program printed, and how it ended. `cut`: it was stopped at `most_bytes` of output."""

    code: int
    output: bytes
    error: bytes
    cut: bool = False


def environment(user_id: int | None = None, home: str = "") -> dict[str, str]:
    """What systemd's programs are started with: nothing of the caller's.

    With a user id, that of a session of that user's manager, whether or not the caller has one (a timer has not).
    """
    variables = {"PATH": _PATH, "LC_ALL": "C", "SYSTEMD_PAGER": "", "SYSTEMD_COLORS": "0", "SYSTEMD_URLIFY": "0"}
    if user_id is None:
        return variables
    runtime = f"/run/user/{user_id}"
    bus = {"XDG_RUNTIME_DIR": runtime, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={runtime}/bus"}
    return variables | bus | {"HOME": home}


def run(
    *words: str,
    environment: dict[str, str],
    timeout_seconds: float,
    most_bytes: int = MOST_BYTES,
) -> Answer:
    """Run a program to its end, or to `most_bytes` of either stream.

    Raises:
        SystemdError: NOT_RUNNING if it is not installed, TIMEOUT, REFUSED if it cannot be started.
    """
    deadline = time.monotonic() + timeout_seconds
    try:
        process = subprocess.Popen(
            words,
            env=environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except FileNotFoundError as error:
        raise SystemdError(Failure.NOT_RUNNING, f"{words[0]} is not installed") from error
    except OSError as error:
        raise SystemdError(Failure.REFUSED, f"{words[0]} cannot be started: {error.strerror}") from error
    with process:
        try:
            output, error_output = _read(process, deadline, most_bytes)
            cut = max(len(output), len(error_output)) >= most_bytes
            if cut:
                process.kill()
            code = process.wait(max(0.0, deadline - time.monotonic()))
        except (TimeoutError, subprocess.TimeoutExpired) as error:
            message = f"{words[0]} did not answer within {timeout_seconds:g} s"
            raise SystemdError(Failure.TIMEOUT, message) from error
        finally:
            process.kill()
    return Answer(code, output, error_output, cut)


def failure(doing: str, answer: Answer) -> SystemdError:
    """The error of a program that did not end with 0. `doing` begins the message: "start of a.service"."""
    said = " ".join(answer.error.decode(errors="replace").split())[:500]
    kind = next((kind for kind, texts in _SAID if any(text in said for text in texts)), Failure.REFUSED)
    return SystemdError(kind, f"{doing}: {said or f'exit code {answer.code}'}")


def _read(process: subprocess.Popen[bytes], deadline: float, most_bytes: int) -> tuple[bytes, bytes]:
    """Both streams to their end, or until one has that many bytes. Raises `TimeoutError`."""
    streams = [stream for stream in (process.stdout, process.stderr) if stream is not None]
    pieces = {stream.fileno(): bytearray() for stream in streams}
    with selectors.DefaultSelector() as selector:
        for number in pieces:
            selector.register(number, selectors.EVENT_READ)
        while selector.get_map() and max(map(len, pieces.values())) < most_bytes:
            ready = selector.select(deadline - time.monotonic())
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                piece = os.read(key.fd, min(_PIECE, most_bytes - len(pieces[key.fd])))
                pieces[key.fd] += piece
                if not piece:
                    selector.unregister(key.fd)
    output, error_output = pieces.values()
    return bytes(output), bytes(error_output)
