"""Why Git does not answer for a person's checkout, where that is seen on this machine and Git's words do not say it.

Git calls a repository that it may not read none at all, and a commit that it cannot look up missing.
"""

from __future__ import annotations

import os
from shlex import quote
from typing import TYPE_CHECKING, Final

from sgfleet.source.data_file import ACCESS
from sgfleet.source.git_faults import NotInstalledError, OwnershipError
from sgfleet.source.git_range import foreign

if TYPE_CHECKING:
    from pathlib import Path

    from sgfleet.source.git_faults import GitError

_READ: Final = ("HEAD", "config", "index", "objects", "objects/pack", "refs", "refs/heads", "packed-refs")
"""Below Git's folder: what every question needs, as far as it is there."""
_FOLDER: Final = "GIT_DIR"


def unreadable(root: Path) -> tuple[str, str] | None:
    """What Git may not read of the repository that `root` lies in, and what to do; None where it may read it all."""
    folder = _git_folder(root)
    if folder is None:
        return None
    for path in (folder, *(folder / name for name in _READ), *_branch(folder)):
        wanted = os.R_OK | (os.X_OK if path.is_dir() else 0)
        if os.path.lexists(path) and not os.access(path, wanted):
            shown = path.relative_to(root) if path.is_relative_to(root) else path
            return f"Git cannot read {shown}: permission denied", ACCESS
    return None


def _branch(folder: Path) -> list[Path]:
    """Where the commit of the branch stands that is checked out, if it stands in a file of its own."""
    try:
        head = (folder / "HEAD").read_bytes()
    except OSError:
        return []
    name = os.fsdecode(head.removeprefix(b"ref: ").strip())
    return [folder / name] if name.startswith("refs/") and ".." not in name else []


def explained(root: Path, error: GitError) -> tuple[str, str | None]:
    """What to say of an answer that Git did not give, and what to do about it."""
    if isinstance(error, OwnershipError):
        return foreign(error)
    if isinstance(error, NotInstalledError):
        return str(error), "install git"
    if (hidden := unreadable(root)) is not None:
        return hidden
    if set_to := os.environ.get(_FOLDER):
        return (
            f"{_FOLDER}={set_to} says where the repository is, and there: {error}",
            f"unset {_FOLDER}, or let it name the .git of this checkout",
        )
    if _git_folder(root) is not None:
        return str(error), f"see what Git says of it: git -C {quote(str(root))} status"
    return f"this is no Git repository: {error}", "what is asked here needs commits: git init, and commit"


def _git_folder(root: Path) -> Path | None:
    """Where Git would look, whatever is there: as it is told, or the first .git upwards."""
    if set_to := os.environ.get(_FOLDER):
        return root / set_to if os.path.lexists(root / set_to) else None
    for above in (root, *root.parents):
        if os.path.lexists(place := above / ".git"):
            return place
    return root if (root / "objects").exists() and (root / "HEAD").exists() else None
