"""Every example in the pages is run: what stands there is what a reader would see.

An example is a ```console block behind `<!-- example: NAME -->`. NAME chooses what the repository looks like before.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
EXAMPLE = re.compile(r"<!-- example: (?P<name>[a-z-]+) -->\n```console\n(?P<text>.*?)```", re.DOTALL)
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
EXAMPLES = [
    pytest.param(page, match["name"], match["text"], id=f"{page.relative_to(ROOT)}-{match['name']}")
    for page in PAGES
    for match in EXAMPLE.finditer(page.read_text())
]


def bad_edit(root: Path) -> None:
    host = root / "hosts" / "llama-70b-01" / "host.yaml"
    text = host.read_text()
    for old, new in (
        ("enable-metrics: true", "enable-metric: true"),
        ("quantization: modelopt_fp8", "quantization: modelopt-fp8"),
    ):
        assert old in text
        text = text.replace(old, new)
    host.write_text(text)


BEFORE = {"bad-edit": bad_edit, "argv": lambda _: None}


@pytest.mark.parametrize(("page", "name", "text"), EXAMPLES)
def test_example(page: Path, name: str, text: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tests" / "data" / "fleet", tmp_path, dirs_exist_ok=True)
    shutil.copytree(ROOT / "schema", tmp_path / "schema")
    BEFORE[name](tmp_path)
    shown = ""
    for line in text.splitlines():
        if line.startswith("$ "):
            command = line.removeprefix("$ ")
            assert command.startswith("sgfleet ")
            done = subprocess.run(
                [BIN / "sgfleet", *command.split()[1:]], cwd=tmp_path, capture_output=True, text=True, check=False
            )
            shown += f"{line}\n{done.stdout}{done.stderr}"
    assert shown == text


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 2


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), target
