"""What docs/how-to/adopt.md says to copy into a repository of one's own is enough for what it says to call there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/how-to/adopt.md"


def listed() -> list[str]:
    step = next(line for line in PAGE.read_text().splitlines() if line.startswith("1. "))
    return re.findall(r"`([^`]+)`", re.search(r" copy (.*?)\. In a fork", step)[1])


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new repository with the files of the list, and no others."""
    root = tmp_path_factory.mktemp("own")
    for name in listed():
        there, here = ROOT / name, root / name
        here.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            shutil.copytree(there, here, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(there, here)
    return root


def run(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = {**os.environ, "PYTHONPATH": str(root / "tools")}
    return subprocess.run([sys.executable, *words], cwd=root, env=path, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("form", ["wheel", "editable"])
def test_the_package_is_built_from_it(copied: Path, tmp_path: Path, form: str) -> None:
    """As `make check` has pip do it, without an index: the build backend is in the lock."""
    code = f"import hatchling.build as b, sys; print(b.build_{form}(sys.argv[1]))"
    done = run(copied, "-c", code, str(tmp_path))
    assert done.returncode == 0, done.stderr[-2000:]
    assert list(tmp_path.glob("sgfleet-*.whl"))


def test_every_file_that_make_needs_for_it_is_there(copied: Path) -> None:
    done = subprocess.run(["make", "-n", "check"], cwd=copied, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for lock in re.findall(r"-r (\S+)", done.stdout):
        assert (copied / lock).is_file()


def test_it_is_a_repository_that_takes_a_first_host(copied: Path) -> None:
    for words in (["init", "box-01"], ["render"], ["check", "--units"]):
        done = run(copied, "-m", "sgfleet", *words)
        assert "error" not in done.stderr.replace("errors", ""), done.stderr
    assert "SRV013" in done.stdout  # the placeholder is not filled in
    assert "RND" not in done.stdout
