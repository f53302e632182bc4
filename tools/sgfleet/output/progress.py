"""How far long work has come: one line of standard error that overwrites itself, on a terminal only that can do so."""

from __future__ import annotations

import os
import time
from typing import Final, TextIO

_EVERY_SECONDS: Final = 0.1
_CLEAR: Final = "\r\x1b[K"


class Progress:
    """`step` as the work goes on, `clear` before anything else is printed and at the end."""

    def __init__(self, stream: TextIO, what: str, total: int) -> None:
        self._stream = stream
        self._what = what
        self._total = total
        self._done = 0
        self._last = float("-inf")
        self._shown = False
        self._wanted = stream.isatty() and os.environ.get("TERM") != "dumb"

    def step(self, number: int = 1) -> None:
        """So many more are done."""
        self._done += number
        if self._wanted and (now := time.monotonic()) - self._last >= _EVERY_SECONDS:
            self._last, self._shown = now, True
            line = f"{self._done:,} of {self._total:,} {self._what}"
            self._stream.write(f"{_CLEAR}{line[: self._room()]}")
            self._stream.flush()

    def _room(self) -> int | None:
        """What one line takes: what wraps is no line that can be taken back. None where the terminal does not tell."""
        try:
            columns = os.get_terminal_size(self._stream.fileno()).columns
        except (OSError, ValueError):
            return None
        return columns - 1 if columns > 0 else None

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._shown = False
            self._stream.write(_CLEAR)
            self._stream.flush()
