"""What `sgfleet check` says about files that need not be on disk for longer than a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.cli.targets import select
from sgfleet.fleet.check import FleetCheck
from sgfleet.fleet.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sgfleet.findings import Finding


def check(root: Path, files: Mapping[str, str], *, units: bool = False) -> list[Finding]:
    """Write the files below `root` and check everything. Rules that break raise here."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", newline="")
    workspace = Workspace(root)
    found = []
    for checked in FleetCheck(workspace, select((), workspace.repository.host_names, root), units=units):
        assert not checked.crashes, checked.crashes
        found += checked.findings
    return found
