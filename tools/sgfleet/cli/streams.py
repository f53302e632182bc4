"""The standard streams, made so that no terminal, pipe or disk turns an answer into a crash.

An answer that cannot be written is an error with one line. Messages that cannot be written are let go: the exit code
has to say it then. What the terminal's character set does not have is escaped as JSON does it, so that JSON stays JSON.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from typing import IO, Any, Final

_STREAMS: Final = ((0, "stdin", os.O_WRONLY), (1, "stdout", os.O_RDONLY), (2, "stderr", os.O_WRONLY))
"""How a stream that is closed is filled: a file that is opened later must not get its number, and standard output and
input must go on failing."""


class LostOutput(Exception):  # noqa: N818 - what became of the answer; no OSError, which some code lets pass
    """Standard output takes no more."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.reader_left = error.errno == errno.EPIPE
        closed = error.errno == errno.EBADF
        self.reason = "it is closed" if closed else (error.strerror or type(error).__name__).lower()


class _Output(io.FileIO):
    """Standard output: raises `LostOutput` once, and swallows what comes after that."""

    lost = False

    def write(self, data: Any, /) -> int:
        if not self.lost:
            try:
                return super().write(data)
            except BlockingIOError:
                raise
            except OSError as error:
                self.lost = True
                raise LostOutput(error) from None
        return len(data)


class _Messages(io.FileIO):
    """Standard error: a message that cannot be written is gone."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def prepare() -> None:
    """Put streams in place that behave as said above. Called once, before anything is opened or printed."""
    codecs.register_error("sgfleet", _escaped)
    for number, name, flags in _STREAMS:
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, flags)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False, encoding="utf-8")  # noqa: SIM115 - as Python itself opens it
    sys.stdout = _text(_Output(1, "w", closefd=False), sys.stdout, line_buffering=False)
    sys.stderr = _text(_Messages(2, "w", closefd=False), sys.stderr, line_buffering=True)


def _text(raw: io.FileIO, like: IO[str] | None, *, line_buffering: bool) -> io.TextIOWrapper:
    encoding = getattr(like, "encoding", None) or "utf-8"
    lines = line_buffering or raw.isatty()
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding, errors="sgfleet", line_buffering=lines)


def _escaped(error: UnicodeError) -> tuple[str, int]:
    r"""`\u00e9`, and two of them for what JSON writes as a pair."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    units = text.encode("utf-16-be", errors="surrogatepass")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2)), error.end
