"""`python -m sgfleet.cli.reference`: write every generated page of the repository that this folder is in."""

from __future__ import annotations

import sys
from pathlib import Path

from sgfleet.cli.reference.pages import pages
from sgfleet.source.replace import replace_file

if __name__ == "__main__":
    root = Path.cwd()
    if not (root / "docs/reference").is_dir():
        sys.exit("error: no docs/reference here: call this from the root of the repository")
    for name, text in pages(root).items():
        path = root / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            replace_file(path, text)
            print(f"written {name}")
