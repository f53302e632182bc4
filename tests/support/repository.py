"""Real Git repositories for tests: deaf to the configuration of whoever runs them, with fixed names and times."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_IDENTITY: Final = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "A Person"), ("EMAIL", "person@example.com"), ("DATE", "2026-01-01T00:00:00Z"))
}


def git(folder: Path, *arguments: str, stdin: str = "") -> str:
    """Run `git ARGUMENTS` in a folder; what it prints, without the last line break."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={**kept, **quiet, **_IDENTITY},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise AssertionError(f"git {' '.join(arguments)}: {done.stderr}")
    return done.stdout.rstrip("\n")
