"""`sgfleet import` from outside: what is printed, written, refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from sgfleet.cli.common import UsageError
from sgfleet.cli.main import main

UNIT = Path(__file__).parents[1] / "corpus/units/kimi-k25-production.service"


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "hosts").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_unit_on_standard_output(here, capsys):
    assert main(["import", str(UNIT), "--release", "0.5.9"]) == 0
    assert "hicache-ratio: 2.0" in capsys.readouterr().out


def test_written_it_is_checked_and_rendered(here, capsys):
    assert main(["import", str(UNIT), "--release", "0.5.9", "--write", "kimi-01"]) == 0
    assert main(["render"]) == 0
    words = ["/e/bin/python3", "-m", "sglang.launch_server", "--model-path", "/m", "--port", "31000"]
    before = (here / "hosts/kimi-01/host.yaml").read_text()
    assert main(["import", "--release", "0.5.9", "--write", "kimi-01", "--name", "chat", "--", *words]) == 0
    assert (here / "hosts/kimi-01/host.yaml").read_text().startswith(before)
    assert main(["render"]) == 0
    with pytest.raises(UsageError, match="already"):
        main(["import", "--release", "0.5.9", "--write", "kimi-01", "--name", "chat", "--", *words])


def test_usage(here):
    for words in (["import"], ["import", "x", "--", "y"], ["import", "gone.service"]):
        with pytest.raises(UsageError):
            main(words)
    with pytest.raises(UsageError, match="no name of a host"):
        main(["import", str(UNIT), "--release", "0.5.9", "--write", "../x"])
