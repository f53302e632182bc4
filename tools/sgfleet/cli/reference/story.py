"""The story that the pages tell, played for real: a small fleet in a Git repository, and the one line that changes."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

FLEET: Final = "tests/data/fleet"
HOST: Final = "hosts/kimi-01/host.yaml"
BEFORE: Final = "hicache-ratio: 2.0"
AFTER: Final = "hicache-ratio: 4.0"
_ENVIRONMENT: Final = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (
        ("NAME", "An operator"), ("EMAIL", "operator@example.org"), ("DATE", "2026-11-01T08:00:00Z"),
    )},
}  # fmt: skip


def environment(*, colour: bool = False) -> dict[str, str]:
    """What commands of the pages run with: no settings of the person who runs them."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "NO_COLOR", "FORCE_"))}
    return {**kept, **_ENVIRONMENT, "TERM": "xterm", "COLUMNS": "100", **({"FORCE_COLOR": "1"} if colour else {})}


def sgfleet(folder: Path, *words: str, colour: bool = False) -> str:
    """What a command prints: its answer, and behind it what it says to the person."""
    done = subprocess.run(
        [sys.executable, "-c", "from sgfleet.cli.main import run; run()", *words],
        cwd=folder,
        env=environment(colour=colour),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def git(folder: Path, *words: str) -> None:
    """Git, without the settings of the person who runs it.

    Raises:
        CalledProcessError: it did not do what it was asked for.
    """
    subprocess.run(["git", *words], cwd=folder, env=environment(), check=True, capture_output=True)


def begin(root: Path, folder: Path) -> None:
    """Put the fleet of before into an empty folder, and commit it on main."""
    shutil.copytree(root / FLEET, folder, dirs_exist_ok=True)
    edit(folder, AFTER, BEFORE)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "The fleet")


def edit(folder: Path, old: str = BEFORE, new: str = AFTER) -> None:
    """Change the one line, and render.

    Raises:
        ValueError: the line is not there.
    """
    path = folder / HOST
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{path} does not say {old!r} once")
    path.write_text(text.replace(old, new), encoding="utf-8")
    sgfleet(folder, "render")


@contextlib.contextmanager
def played(root: Path) -> Iterator[Path]:
    """A folder with the fleet of before, for as long as it is needed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begin(root, folder)
        yield folder
