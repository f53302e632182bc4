"""The wheel works where there is no checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the built wheel in it, apart from the checkout."""
    built = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", built],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = built.glob("*.whl")
    target = tmp_path_factory.mktemp("installed")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", target, wheel],
        check=True,
    )
    with zipfile.ZipFile(wheel) as archive:
        assert not [name for name in archive.namelist() if name.startswith(("tests/", "hosts/", "units/"))]
        assert any(name.endswith("/share/man/man1/sgfleet.1") for name in archive.namelist())
    return target


def run(installed: Path, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The wheel's console script, with the wheel's own package first on the path."""
    return subprocess.run(
        [sys.executable, installed / "bin" / "sgfleet", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
    )


def test_it_is_the_wheel_that_runs(installed: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import sgfleet; print(sgfleet.__file__)"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(done.stdout.strip()).is_relative_to(installed)


def test_the_schemas_come_with_it(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "argv", "0.5.9", "--", "--model-path", "m", "--tp", "8")
    assert done.returncode == 0, done.stderr
    assert "tp-size" in done.stdout


def test_it_checks_and_renders_a_repository_elsewhere(installed: Path, tmp_path: Path) -> None:
    host = tmp_path / "hosts" / "box-01"
    host.mkdir(parents=True)
    (host / "host.yaml").write_text(
        'host: box-01\nservices:\n  sglang-a:\n    release: "0.5.9"\n    python: /opt/e/bin/python3\n'
        "    flags: {model-path: /srv/m, host: 127.0.0.1}\n"
    )
    rendered = run(installed, tmp_path, "render")
    assert rendered.returncode == 0, rendered.stderr
    assert "--model-path /srv/m" in (tmp_path / "units" / "box-01" / "sglang-a.service").read_text()
    checked = run(installed, tmp_path, "check")
    assert "box-01" in checked.stdout  # it has no facts, and that is said
    assert checked.returncode in (0, 1), checked.stderr
    assert run(installed, tmp_path, "render", "--check").returncode == 0


def test_where_no_repository_is_it_says_so(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "check")
    assert done.returncode == 2
    assert "no repository here" in done.stderr
