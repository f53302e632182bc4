"""One program, run to its end: with a time limit for all that it starts, and a bound on what it says."""

from __future__ import annotations

import contextlib
import os
import resource
import selectors
import signal
import subprocess
import time
from typing import IO, TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

CHUNK_BYTES: Final = 65536
MOST_OUTPUT_BYTES: Final = 64 * 1024 * 1024
GRACE_SECONDS: Final = 1.0
"""Between asking and killing: long enough for a program to remove its locks and temporary files."""


class TooSlowError(Exception):
    """The program did not end in time; it and all that it started are gone."""


class TooMuchError(Exception):
    """The program said more than was asked for; it and all that it started are gone."""


class Done(NamedTuple):
    """What a program left: its exit code (negative: the signal that ended it) and what it said."""

    code: int
    output: bytes
    errors: bytes


def run(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    stdin: bytes = b"",
    timeout_seconds: float,
    most_bytes: int = MOST_OUTPUT_BYTES,
    most_file_bytes: int | None = None,
) -> Done:
    """Run `command` in `folder`. `most_bytes` bounds its output, `most_file_bytes` each file that it writes.

    Raises:
        FileNotFoundError: there is no such program.
        TooSlowError, TooMuchError: it was stopped.
    """

    def limit() -> None:
        if most_file_bytes is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # an error with words instead of a silent end
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_file_bytes, most_file_bytes))

    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # the group is what a timeout ends: ssh and index-pack must not outlive git
        preexec_fn=limit if most_file_bytes is not None else None,
    )
    try:
        output, errors = _converse(process, stdin, time.monotonic() + timeout_seconds, most_bytes)
    except BaseException:
        _end(process)
        raise
    return Done(process.returncode, output, errors)


def _converse(process: subprocess.Popen[bytes], stdin: bytes, deadline: float, most_bytes: int) -> tuple[bytes, bytes]:
    """Feed standard input and read both outputs until all are closed and the program has ended."""
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise ValueError("the three streams are pipes")
    heard: dict[IO[bytes], bytearray] = {process.stdout: bytearray(), process.stderr: bytearray()}
    unsent = memoryview(stdin)
    with selectors.DefaultSelector() as selector, process.stdin, process.stdout, process.stderr:
        for stream in heard:
            selector.register(stream, selectors.EVENT_READ)
        if unsent:
            os.set_blocking(process.stdin.fileno(), False)
            selector.register(process.stdin, selectors.EVENT_WRITE)
        else:
            process.stdin.close()
        while selector.get_map():
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready and time.monotonic() >= deadline:
                raise TooSlowError
            for key, _ in ready:
                if key.fileobj is process.stdin:
                    unsent = _send(process.stdin, unsent)
                    if not unsent:
                        selector.unregister(process.stdin)
                        process.stdin.close()
                    continue
                stream = process.stdout if key.fileobj is process.stdout else process.stderr
                data = os.read(stream.fileno(), CHUNK_BYTES)
                if not data:
                    selector.unregister(stream)
                    continue
                heard[stream] += data
                if len(heard[stream]) > most_bytes:
                    raise TooMuchError
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise TooSlowError from None
    return bytes(heard[process.stdout]), bytes(heard[process.stderr])


def _send(pipe: IO[bytes], data: memoryview) -> memoryview:
    """Write what the pipe takes now; what is left. A program that no longer listens has had enough."""
    try:
        return data[os.write(pipe.fileno(), data[:CHUNK_BYTES]) :]
    except BlockingIOError:
        return data
    except BrokenPipeError:
        return data[:0]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program and all that it started: asked first, so that it removes its locks; killed after the grace."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, sign)
        if sign is signal.SIGTERM:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE_SECONDS)
    process.wait()
