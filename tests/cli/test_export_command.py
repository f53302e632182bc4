"""`sgfleet export`: writes what differs, and says what does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sgfleet.cli.common import UsageError
from sgfleet.cli.main import main

ROOT = Path(__file__).parents[2]


@pytest.fixture
def root(tmp_path):
    (tmp_path / "schema/sglang").mkdir(parents=True)
    shutil.copy(ROOT / "schema/sglang/0.5.9.json", tmp_path / "schema/sglang")
    return tmp_path


def export(root, *arguments):
    return main(["export", "--root", str(root), *arguments])


def test_it_writes_once(root, capsys):
    assert export(root) == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["written", f"schema/{name}.schema.json"] for name in ("host", "facts", "fleet")
    ]
    assert export(root) == 0
    assert {line.split()[0] for line in capsys.readouterr().out.splitlines()} == {"unchanged"}
    assert export(root, "--check") == 0
    assert capsys.readouterr().out == ""


def test_check_writes_nothing(root, capsys):
    export(root)
    changed = root / "schema/host.schema.json"
    changed.write_text("{}\n")
    capsys.readouterr()
    assert export(root, "--check") == 1
    said = capsys.readouterr().out
    assert "SPC020" in said
    assert "schema/host.schema.json" in said
    assert "run sgfleet export" in said
    assert changed.read_text() == "{}\n"


def test_without_releases_there_is_nothing_to_export(tmp_path):
    with pytest.raises(UsageError, match="no flag schema"):
        export(tmp_path)
