"""docs/terminal.svg: the question of the story and its answer, as a terminal shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.cli.reference.story import played, sgfleet
from sgfleet.output.terminal import as_svg

if TYPE_CHECKING:
    from pathlib import Path

COMMAND: Final = ("memory", "kimi-01", "--set", "hicache-ratio=4")
TITLE: Final = "sgfleet memory: what a change of one flag pins in RAM, before it is made"


def terminal(root: Path) -> str:
    """The picture, from the command's real output."""
    with played(root) as folder:
        answer = sgfleet(folder, *COMMAND, colour=True)
    return as_svg(f"\x1b[1m$ sgfleet {' '.join(COMMAND)}\x1b[0m\n{answer}", TITLE)
