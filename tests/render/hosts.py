"""Hosts for tests, from text to what `render` takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.engine.store import load
from sgfleet.render.host import Rendered, render_host
from sgfleet.source.tree import WorkTree
from sgfleet.spec.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path


def write_host(root: Path, text: str, host: str = "box-01") -> None:
    """Make `hosts/<host>/host.yaml` below root."""
    folder = root / "hosts" / host
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "host.yaml").write_text(text)


def rendered(root: Path, host: str = "box-01") -> Rendered:
    """What the host renders to; the spec itself must be sound."""
    repository = Repository(WorkTree(root))
    spec = repository.host(host)
    assert not [*repository.findings, *spec.findings]
    return render_host(spec, load)


def render_text(root: Path, text: str) -> str:
    """The one unit of a host with one service."""
    write_host(root, text)
    result = rendered(root)
    assert not result.findings, result.findings
    (unit,) = result.units.values()
    return unit
