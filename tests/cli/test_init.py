"""`sgfleet init`: what it writes is a repository that renders, and nothing is ever overwritten."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sgfleet.cli.common import UsageError
from sgfleet.cli.main import main


def test_what_it_begins_renders_and_lacks_only_what_is_to_be_filled_in(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["init", "kimi-01"]) == 0
    assert main(["render"]) == 0
    capsys.readouterr()
    assert main(["check"]) == 1
    assert re.findall(r"error\[(.*?)\]: .*\n +--> (.*):\d+", capsys.readouterr().out) == [
        ("SRV013", "hosts/kimi-01/host.yaml:5"),
        ("SRV013", "hosts/kimi-01/host.yaml:11"),
    ]
    before = {path: path.read_text() for path in tmp_path.rglob("*.yaml")}
    assert len(before) == 3
    assert main(["init", "kimi-01"]) == 0
    assert capsys.readouterr().out.count("kept ") == 3
    assert main(["init", "kimi-02", "--release", "0.5.9"]) == 0
    assert {path: path.read_text() for path in before} == before
    assert (tmp_path / "hosts/kimi-02/host.yaml").is_file()


@pytest.mark.parametrize("known", [False, True], ids=["without facts", "with facts"])
def test_a_placeholder_passes_no_check_until_it_is_filled_in(tmp_path, capsys, known):
    assert main(["init", "g-1", "--root", str(tmp_path)]) == 0
    file = tmp_path / "hosts/g-1/host.yaml"
    if known:
        (tmp_path / "hosts/g-1/facts.yaml").write_text(
            "format: 1\nhost: g-1\ngpus: [{index: 0, name: NVIDIA L40S, memory-mib: 46068}]\n"
            "checkpoints: [{path: /srv/models/qwen3-8b}]\n"
        )
    for line, filled in (("/srv/models/MODEL", "/srv/models/qwen3-8b"), ("A placeholder that", "Chat; what")):
        assert main(["check", "--root", str(tmp_path)]) == 1
        said = capsys.readouterr().out
        assert "error[SRV013]" in said
        assert "FCT005" not in said
        file.write_text(file.read_text().replace(line, filled))
    main(["check", "--root", str(tmp_path)])
    assert "error[" not in capsys.readouterr().out


def test_its_hooks_are_valid(tmp_path):
    assert main(["init", "--root", str(tmp_path)]) == 0
    program = Path(sys.executable).parent / "pre-commit"
    subprocess.run([program, "validate-config", tmp_path / ".pre-commit-config.yaml"], check=True)


@pytest.mark.parametrize("place", ["hosts", "hosts/a"])
def test_no_way_through_a_link(tmp_path, place):
    root, outside = tmp_path / "root", tmp_path / "outside"
    outside.mkdir()
    (root / place).parent.mkdir(parents=True)
    (root / place).symlink_to(outside)
    assert main(["init", "a", "--root", str(root)]) == 1
    assert not list(outside.iterdir())


def test_a_file_that_is_a_dangling_link_stays_one(tmp_path):
    (tmp_path / "fleet.yaml").symlink_to(tmp_path / "nowhere")
    assert main(["init", "--root", str(tmp_path)]) == 0
    assert not (tmp_path / "nowhere").exists()


def test_usage(tmp_path):
    for words in (["../x"], ["a", "--release", "9.9.9"]):
        with pytest.raises(UsageError):
            main(["init", *words, "--root", str(tmp_path)])


def test_a_placeholder_says_so_where_it_is_read(tmp_path):
    assert main(["init", "kimi-01", "--root", str(tmp_path)]) == 0
    assert "MODEL    # no model: put" in (tmp_path / "hosts/kimi-01/host.yaml").read_text()
    assert main(["render", "--root", str(tmp_path)]) == 0
    assert "A placeholder that sgfleet init wrote" in (tmp_path / "units/kimi-01/sglang.service").read_text()
