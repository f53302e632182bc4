"""The line with which a file names its schema to editors, for whoever begins one."""

from __future__ import annotations

from pathlib import Path, PurePosixPath


def schema_line(path: str, root: Path | None) -> str:
    """The first line of hosts/x/host.yaml and the like; empty where the repository has no such schema.

    `path` is that below the root. A line that leads nowhere would be an error in each editor that reads it.
    """
    place = PurePosixPath(path)
    schema = f"schema/{place.stem}.schema.json"
    if root is None or not Path(root, schema).is_file():
        return ""
    return f"# yaml-language-server: $schema={'../' * (len(place.parts) - 1)}{schema}\n"
