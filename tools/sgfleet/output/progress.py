"""How far long work has come: one line of standard error that overwrites itself, on a terminal only."""

from __future__ import annotations

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
        self._wanted = stream.isatty()

    def step(self, number: int = 1) -> None:
        """So many more are done."""
        self._done += number
        if self._wanted and (now := time.monotonic()) - self._last >= _EVERY_SECONDS:
            self._last, self._shown = now, True
            self._stream.write(f"{_CLEAR}{self._done:,} of {self._total:,} {self._what}")
            self._stream.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._shown = False
            self._stream.write(_CLEAR)
            self._stream.flush()
