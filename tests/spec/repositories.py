"""Repositories for tests, written as files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.source.tree import WorkTree
from sgfleet.spec.repository import Repository, no_names

if TYPE_CHECKING:
    from pathlib import Path

NAMES = {
    "tp-size": "tensor-parallel-size",
    "tensor-parallel-size": "tensor-parallel-size",
    "port": "port",
    "http-port": "port",
}


def names_of(release: str) -> dict[str, str]:
    """Two flags with two names each, in every release but 9.9.9."""
    return {} if release == "9.9.9" else NAMES


def repository(root: Path, files: dict[str, str], names=no_names) -> Repository:
    """Write the files and read them."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return Repository(WorkTree(root), names)


def said(findings) -> list[str]:
    """A line a finding: place, code, message, help."""
    return [f"{each.place} {each.code} {each.message}" + (f" | {each.help}" if each.help else "") for each in findings]
