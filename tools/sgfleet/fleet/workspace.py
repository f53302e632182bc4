"""The repository that a command works on, with the flag schemas that belong to it."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sgfleet.engine import store
from sgfleet.engine.damage import damage, lack
from sgfleet.fleet.damage import damaged_model, damaged_tables
from sgfleet.source.tree import WorkTree
from sgfleet.spec.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.engine.release import Release
    from sgfleet.findings import Finding
    from sgfleet.source.tree import KeptTree, Tree


class Workspace:
    """Reads specifications from `tree` (by default the files below `root`).

    Flag schemas and models are read from `library` (`root`, or the tree of a revision) before those that sgfleet was
    installed with. A release without a usable schema is None. Damaged schemas collect in `damaged`, a finding each, and
    so do damaged facts of models once they are looked at.
    """

    def __init__(self, root: Path, tree: Tree | None = None, library: Path | KeptTree | None = None) -> None:
        self.root = root
        self.library = library or root
        self.damaged: list[Finding] = []
        self._looked_at_models = False
        self.damaged_releases: set[str] = set()
        self.tree = tree or WorkTree(root)
        self._releases: dict[str, Release | None] = {}

    @cached_property
    def repository(self) -> Repository:
        """Fleet and hosts."""
        return Repository(self.tree, self.names_of)

    def release(self, version: str) -> Release | None:
        """The flags of a release; None when they are not known."""
        if version not in self._releases:
            self._releases[version] = self._load(version)
        return self._releases[version]

    def names_of(self, version: str) -> Mapping[str, str]:
        """Any name of a flag that has several -> the one by which they are compared. Flags that are stored in the same
        place are one flag here: a default that says `enable-x` and a service that says `disable-x` mean the same thing.
        """
        release = self.release(version)
        if release is None:
            return {}
        names: dict[str, list[str]] = {}
        for flag in release.flags:
            names.setdefault(flag.dest, []).extend(flag.names)
        return {name: same[0] for same in names.values() if len(same) > 1 for name in same}

    def lacks(self, version: str) -> tuple[str, str]:
        """Why the flags of a release are not known, and what to do."""
        if version in self.damaged_releases:
            return f"the flag schema of SGLang {version} cannot be used", "sgfleet check says what is wrong with it"
        return lack(version)

    def look_at_models(self, *, thorough: bool = True) -> None:
        """Find damaged facts of models. All of this repository are read, because a lookup that finds nothing cannot
        say which of them the model would have been in; without `thorough` only for their form.
        """
        if not self._looked_at_models:
            self._looked_at_models = True
            from sgfleet.model import store as models

            self.damaged += [
                damaged_model(error, self.root) for error in models.damaged(self.library, thorough=thorough)
            ]

    def look_at_tables(self) -> None:
        """Find damage of what stands beside the flag schemas, which the next best copy would silently replace."""
        if isinstance(self.library, Path):
            self.damaged += damaged_tables(self.library)

    def _load(self, version: str) -> Release | None:
        try:
            return store.load(version, self.library)
        except store.UnknownReleaseError:
            return None
        except store.DamagedSchemaError as error:
            self.damaged.append(damage(error, self.root))
            self.damaged_releases.add(version)
            return None
