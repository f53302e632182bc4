"""The linters are tests: what `make lint` says holds here too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
CODE = ("tools", "tests", "benchmarks")


@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "check", *CODE),
        ("ruff", "format", "--check", *CODE),
        ("mypy",),
        ("lint-imports", "--no-cache"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_linter(command: tuple[str, ...]) -> None:
    done = subprocess.run([BIN / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_module_is_longer_than_600_lines() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for folder in CODE
        for path in (ROOT / folder).rglob("*.py")
        if (lines := len(path.read_text().splitlines())) > 600
    }
    assert not long


def test_the_median_module_is_a_page_or_two() -> None:
    sizes = sorted(
        lines
        for path in (ROOT / "tools").rglob("*.py")
        if (lines := len(path.read_text().splitlines())) > 5  # a package's own docstring is no module
    )
    assert sizes[len(sizes) // 2] <= 160
