"""Two revisions of a repository as workspaces, of a checkout or of a bare repository that has no files at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.fleet.workspace import Workspace
from sgfleet.source.git_objects import GitObjects
from sgfleet.source.git_tree import GitTree

if TYPE_CHECKING:
    from pathlib import Path

    from sgfleet.source.git import IsolatedGit


def workspaces(
    where: Path | IsolatedGit, before: str, after: str | None, *, folder: str = "", root: Path, library: bool
) -> tuple[Workspace, Workspace]:
    """The workspaces of two commits by their full ids; `after` None is the working tree in `root`.

    `folder` is where the hosts are inside of the revisions. `library` says that flag schemas or models differ: else
    they are read once, as the newer side has them, and every release is decoded once.
    """
    objects = GitObjects(where)
    old = GitTree(objects, before, folder)
    new = None if after is None else GitTree(objects, after, folder)
    newer = Workspace(root, new, new)
    return Workspace(root, old, old if library else newer.library), newer
