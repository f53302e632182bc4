"""The machine behind the probes: programs that it runs, files that it has. The only module here that touches it."""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from sgfleet.facts.nvml import Library

TIMEOUT_SECONDS: Final = 60
"""nvidia-smi without a persistence daemon wakes every GPU first: 10 s and more with eight of them."""
MOST_BYTES: Final = 16 * 2**20
"""No file of the kernel and no answer of a program that is read here is longer."""

_PIECE: Final = 2**16


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program said. `code` is None when it did not run to its end; `reason` then says why."""

    text: str = ""
    error: str = ""
    code: int | None = 0
    reason: str = ""

    @property
    def ok(self) -> bool:
        """It ran, and has nothing to complain of."""
        return self.code == 0


class Machine(Protocol):
    """What the probes need of a machine."""

    def run(self, *words: str) -> Answer:
        """Run a program to its end; never raises."""
        ...

    def read(self, path: str) -> str | None:
        """The text of a file; None where there is none or it cannot be read."""
        ...

    def names(self, folder: str) -> tuple[str, ...] | None:
        """The sorted names in a folder; None where there is none or it cannot be listed."""
        ...

    def shut(self, path: str) -> str | None:
        """Why a file or folder cannot even be looked for; None where it is there, or there is none."""
        ...

    def target(self, path: str) -> str | None:
        """Where a symbolic link leads, as it is written; None where there is none."""
        ...

    def nvml(self) -> Library | str:
        """NVIDIA's management library, or why there is none."""
        ...


class LiveMachine:
    """This machine. `root` stands before every path, and is only another one where a tree was copied."""

    def __init__(self, root: str = "/", *, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._root = Path(root)
        self._timeout_seconds = timeout_seconds

    def run(self, *words: str) -> Answer:
        """See `Machine`. The program gets no input, and answers in the C locale."""
        environment = {**os.environ, "LC_ALL": "C", "SYSTEMD_PAGER": "", "SYSTEMD_COLORS": "0"}
        try:
            process = subprocess.Popen(
                words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except FileNotFoundError:
            return Answer(code=None, reason=f"{words[0]} is not installed")
        except (OSError, ValueError) as error:
            return Answer(code=None, reason=f"{words[0]} cannot be started: {_why(error)}")
        try:
            output, error_output = process.communicate(timeout=self._timeout_seconds)
        except subprocess.TimeoutExpired:
            _abandon(process)
            return Answer(code=None, reason=f"{words[0]} did not answer within {self._timeout_seconds:g} s")
        return Answer(_text(output), _text(error_output), process.returncode)

    def read(self, path: str) -> str | None:
        """See `Machine`. Anything but a regular file counts as missing: a pipe would make it wait."""
        place = self._place(path)
        try:
            if not place.is_file():
                return None
            with place.open("rb", buffering=0) as file:
                # Piece by piece: the kernel refuses a read of /proc/sys with a large buffer.
                return _text(b"".join(itertools.islice(iter(lambda: file.read(_PIECE), b""), MOST_BYTES // _PIECE)))
        except (OSError, ValueError):
            return None

    def names(self, folder: str) -> tuple[str, ...] | None:
        """See `Machine`."""
        try:
            return tuple(sorted(os.listdir(self._place(folder))))  # noqa: PTH208 - names, and no paths, are wanted
        except (OSError, ValueError):
            return None

    def shut(self, path: str) -> str | None:
        """See `Machine`."""
        try:
            self._place(path).lstat()
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return None
        except OSError as error:
            return _why(error)
        return None

    def target(self, path: str) -> str | None:
        """See `Machine`."""
        try:
            return str(self._place(path).readlink())
        except (OSError, ValueError):
            return None

    def nvml(self) -> Library | str:
        """See `Machine`."""
        from sgfleet.facts.nvml import library

        return library()

    def _place(self, path: str) -> Path:
        return self._root / path.lstrip("/")


def _abandon(process: subprocess.Popen[bytes]) -> None:
    """Kill it, and do not wait for long: a program that hangs in a driver cannot be killed."""
    process.kill()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=1)


def _text(raw: bytes) -> str:
    return raw[:MOST_BYTES].decode("utf-8", errors="replace")


def _why(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()
