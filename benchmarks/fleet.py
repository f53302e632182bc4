"""A fleet of any size, made from the hosts that this repository ships: the same specs and facts under other names."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1]


def make_fleet(target: Path, hosts: int) -> None:
    """Write `fleet.yaml`, `schema/` and `hosts/<name>-00000/…` below `target`.

    Ports and GPU sets stay: they are a host's own. Host names are rewritten in both files of a host.
    """
    shutil.copy(ROOT / "fleet.yaml", target / "fleet.yaml")
    shutil.copytree(ROOT / "schema", target / "schema")
    sources = [folder for folder in sorted((ROOT / "hosts").iterdir()) if folder.is_dir()]
    texts = [{file.name: file.read_text() for file in sorted(folder.iterdir())} for folder in sources]
    for number in range(hosts):
        source, files = sources[number % len(sources)], texts[number % len(sources)]
        name = f"{source.name}-{number:05}"
        folder = target / "hosts" / name
        folder.mkdir(parents=True)
        for file, text in files.items():
            (folder / file).write_text(text.replace(f"host: {source.name}\n", f"host: {name}\n", 1))
