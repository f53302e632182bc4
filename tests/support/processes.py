"""What runs on this machine, as every user can see it."""

from __future__ import annotations

from pathlib import Path


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


def processes_with(text: str) -> list[str]:
    """The command lines that hold `text`."""
    return [line for line in command_lines() if text in line]
