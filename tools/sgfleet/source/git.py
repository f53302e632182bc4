"""The only module that starts Git."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

TIMEOUT_SECONDS: Final = 30
"""For calls that only read the local repository."""


class GitError(Exception):
    """Git could not answer; the message is what it said, in one line."""


def environment() -> dict[str, str]:
    """The environment for Git: a hook's GIT_DIR and GIT_INDEX_FILE stay, because they name the index that is meant.

    Locale and prompts are fixed, so that the answer is the same everywhere and nothing waits for a person.
    """
    return {**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}


def git(root: Path, *arguments: str, timeout_seconds: float = TIMEOUT_SECONDS) -> bytes:
    """Run `git ARGUMENTS` in `root` and return what it prints.

    Raises:
        GitError: Git is missing, failed or took too long.
    """
    command = ("git", "--no-pager", *arguments)
    try:
        done = subprocess.run(
            command,
            cwd=root,
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_seconds,
            check=False,
        )
    except FileNotFoundError as error:
        raise GitError("git is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise GitError(f"git {arguments[0]} took more than {timeout_seconds:g} s") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise GitError(f"git {arguments[0]}: {said[-1] if said else f'exit code {done.returncode}'}")
    return done.stdout
