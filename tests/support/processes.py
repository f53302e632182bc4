"""What runs on this machine, as every user can see it."""

from __future__ import annotations

import time
from pathlib import Path

GONE_SECONDS = 10


def command_lines() -> list[str]:
    """The command line of every process, its words with blanks between."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes()
        except OSError:
            continue
        found.append(words.replace(b"\0", b" ").decode(errors="replace").strip())
    return [line for line in found if line]


def left_behind(text: str) -> list[str]:
    """The command lines that hold `text`, once those that were killed have had time to go."""
    deadline = time.monotonic() + GONE_SECONDS
    while True:
        found = [line for line in command_lines() if text in line]
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.02)
