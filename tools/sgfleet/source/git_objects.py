"""Objects of a Git repository through one `git cat-file --batch` that stays open: 50 µs an object instead of 3 ms.

Works on bare, shallow and partial repositories; in a partial one Git fetches what is missing. A process that was forked
gets a `git` of its own, because two readers of one pipe would take each other's answers.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
import weakref
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.source.git import object_server
from sgfleet.source.git_faults import GitError

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    from sgfleet.source.git import IsolatedGit

ANSWER_SECONDS: Final = 120
"""For one object; in a partial repository it comes over the network."""
_CHUNK: Final = 1 << 20


class GitObject(NamedTuple):
    """`kind` is blob, tree, commit or tag. `data` is None for an object larger than was asked for."""

    id: str
    kind: str
    size_bytes: int
    data: bytes | None


class GitObjects:
    """Reads objects by their id, or by any other name that Git knows, from a checkout or the agent's own repository."""

    def __init__(self, where: Path | IsolatedGit) -> None:
        self._where = where
        self._server: subprocess.Popen[bytes] | None = None
        self._process = 0
        self._end: Callable[[], object] | None = None
        self._buffer = bytearray()

    def read(self, name: str, most_bytes: int) -> GitObject | None:
        """The object; None where the repository does not have it.

        Raises:
            GitError: Git failed, or did not answer in time.
        """
        if "\n" in name:
            return None
        server = self._running()
        if server.stdin is None:
            raise GitError("git cat-file: no way to ask it")
        try:
            server.stdin.write(name.encode(errors="surrogateescape") + b"\n")
            server.stdin.flush()
            return self._answer(most_bytes)
        except OSError as error:
            self.close()
            raise GitError(f"git cat-file ended: {error}") from error
        except BaseException:
            self.close()  # an answer that was left half read would be taken for the next one's
            raise

    def close(self) -> None:
        """End the process; the next question starts another."""
        self._server = None
        if self._end is not None:
            self._end()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._server is None or self._process != os.getpid():
            self._server, self._process = object_server(self._where), os.getpid()
            # No process outlives what asked for it, be that let go or the interpreter at its end.
            self._end = weakref.finalize(self, _ended, self._server, self._process)
            self._buffer.clear()
        return self._server

    def _answer(self, most_bytes: int) -> GitObject | None:
        deadline = time.monotonic() + ANSWER_SECONDS
        while (end := self._buffer.find(b"\n")) < 0:
            self._fill(deadline)
        words = bytes(self._buffer[:end]).split(b" ")
        del self._buffer[: end + 1]
        if len(words) != 3 or not words[2].isdigit():
            return None  # `NAME missing`, `NAME ambiguous`
        size = int(words[2])
        kept = size <= most_bytes
        data = self._take(size, deadline) if kept else None
        self._drop(1 if kept else size + 1, deadline)
        return GitObject(words[0].decode(), words[1].decode(), size, data)

    def _take(self, size: int, deadline: float) -> bytes:
        while len(self._buffer) < size:
            self._fill(deadline)
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data

    def _drop(self, size: int, deadline: float) -> None:
        while size:
            if not self._buffer:
                self._fill(deadline)
            gone = min(size, len(self._buffer))
            del self._buffer[:gone]
            size -= gone

    def _fill(self, deadline: float) -> None:
        server = self._server
        if server is None or server.stdout is None:
            raise GitError("git cat-file: no answer to read")
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([server.stdout], [], [], left)[0]:
            raise GitError(f"git cat-file took more than {ANSWER_SECONDS} s")
        data = os.read(server.stdout.fileno(), _CHUNK)
        if not data:
            raise GitError("git cat-file ended before it answered")
        self._buffer += data


def _ended(server: subprocess.Popen[bytes], process: int) -> None:
    if process != os.getpid():  # forked: it is the other one's
        return
    for stream in (server.stdin, server.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    server.kill()
    server.wait()
