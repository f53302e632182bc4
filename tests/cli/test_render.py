"""`sgfleet render` from outside: what is written, removed, refused, and asked to be added."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sgfleet.cli.main import main
from sgfleet.source import replace

DATA = Path(__file__).parents[1] / "data" / "fleet"
UNIT = "units/kimi-01/sglang-kimi.service"


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for part in ("hosts", "units"):
        shutil.copytree(DATA / part, tmp_path / part)
    shutil.copy(DATA / "fleet.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def edit(fleet: Path, old: str, new: str, file: str = "hosts/kimi-01/host.yaml") -> None:
    text = (fleet / file).read_text()
    assert old in text
    (fleet / file).write_text(text.replace(old, new))


def test_rendering_twice_changes_nothing(fleet, capsys):
    before = {path: path.stat().st_mtime_ns for path in fleet.glob("units/*/*")}
    assert main(["render"]) == 0
    assert {path: path.stat().st_mtime_ns for path in fleet.glob("units/*/*")} == before
    assert "rendered" not in capsys.readouterr().err


def test_the_end_claims_no_more_than_was_looked_at(fleet, capsys):
    edit(fleet, "hicache-ratio: 4.0", "hicache-ratio: 40.0")
    assert main(["check"]) == 1
    capsys.readouterr()
    for words in ([], ["--check"]):
        assert main(["render", *words]) == 0
        assert capsys.readouterr().err.splitlines()[-1] == "every unit is as specified in 3 hosts, 4 services"
    assert main(["render", "mixed-01/sglang-chat"]) == 0
    assert capsys.readouterr().err == "every unit is as specified in 1 host, 1 service\n"


def test_an_edit_is_rendered_and_check_tells_before(fleet, capsys):
    edit(fleet, "hicache-ratio: 4.0", "hicache-ratio: 3.0")
    assert main(["render", "--check"]) == 1
    out = capsys.readouterr().out
    assert "RND002" in out
    assert "+ ExecStart=--hicache-ratio 3.0" in out
    assert main(["render"]) == 0
    assert capsys.readouterr().err.startswith(f"rendered {UNIT}\n")
    assert main(["render", "--check"]) == 0


def test_one_service_of_a_host(fleet, capsys):
    (fleet / "units/mixed-01/sglang-chat.service").unlink()
    (fleet / "units/mixed-01/sglang-draft.service").unlink()
    assert main(["render", "mixed-01/sglang-draft"]) == 0
    assert not (fleet / "units/mixed-01/sglang-chat.service").exists()
    assert main(["render", "--check", "mixed-01/sglang-draft"]) == 0
    assert main(["render", "--check", "mixed-01"]) == 1


def test_units_of_services_and_hosts_that_are_gone_are_removed(fleet, capsys):
    edit(fleet, "  sglang-kimi:", "  sglang-other:")
    shutil.rmtree(fleet / "hosts/mixed-01")
    assert main(["render", "--check"]) == 1
    assert capsys.readouterr().out.count("RND004") == 2
    assert main(["render"]) == 0
    assert sorted(path.name for path in fleet.glob("units/*/*")) == ["sglang-llama.service", "sglang-other.service"]
    assert not (fleet / "units/mixed-01").exists()


def test_what_is_not_ours_stays(fleet, capsys):
    shutil.rmtree(fleet / "hosts/mixed-01")
    (fleet / "units/mixed-01/sglang-chat.service").write_text("[Service]\nExecStart=/bin/true\n")
    (fleet / "units/kimi-01/notes.txt").write_text("x")
    assert main(["render"]) == 1
    assert (fleet / "units/mixed-01/sglang-chat.service").exists()
    assert not (fleet / "units/mixed-01/sglang-draft.service").exists()
    assert (fleet / "units/kimi-01/notes.txt").exists()
    told = capsys.readouterr().out
    assert "RND006" in told
    assert "what is left of its units was not written by sgfleet" in told


def test_check_and_render_say_the_same_of_a_host_that_is_gone(fleet, capsys):
    shutil.rmtree(fleet / "hosts/mixed-01")
    assert main(["render", "--check"]) == 1
    assert "help: sgfleet render removes them; or bring hosts/mixed-01/host.yaml back" in capsys.readouterr().out
    assert main(["render"]) == 0
    assert main(["render", "--check"]) == 0


def test_a_host_that_cannot_be_read_keeps_its_units(fleet):
    (fleet / "hosts/kimi-01/host.yaml").write_text("host: [\n")
    assert main(["render"]) == 1
    assert (fleet / UNIT).exists()


def test_a_service_that_cannot_be_put_together_keeps_its_unit(fleet):
    edit(fleet, "    python: /root/ml-env/bin/python3\n", "")
    assert main(["render"]) == 1
    assert (fleet / UNIT).exists()


def test_links_in_place_of_units_are_neither_read_nor_written(fleet, capsys):
    (fleet / UNIT).unlink()
    (fleet / "outside").write_text("precious")
    (fleet / UNIT).symlink_to(fleet / "outside")
    assert main(["render", "--check"]) == 1
    assert "RND006" in capsys.readouterr().out
    main(["render"])
    assert (fleet / "outside").read_text() == "precious"


@pytest.mark.parametrize("kind", ["link", "broken link", "pipe", "folder"])
@pytest.mark.parametrize("command", [["render"], ["render", "--check"], ["render", "kimi-01/sglang-kimi"]])
def test_what_is_no_file_in_place_of_a_unit_is_told_once_and_left(fleet, capsys, kind, command):
    unit = fleet / UNIT
    unit.unlink()
    if kind == "pipe":
        os.mkfifo(unit)
    elif kind == "folder":
        unit.mkdir()
    else:
        (fleet / "outside").write_text("precious")
        unit.symlink_to(fleet / ("outside" if kind == "link" else "nowhere"))
    before = unit.lstat()
    assert main(command) == 1
    told = capsys.readouterr()
    assert told.out.count("error[") == told.out.count("error[RND006]") == 1
    assert "rendered" not in told.err
    assert unit.lstat() == before


def test_a_link_in_place_of_a_hosts_units(fleet, capsys):
    shutil.move(fleet / "units/kimi-01", fleet / "elsewhere")
    (fleet / "units/kimi-01").symlink_to(fleet / "elsewhere")
    before = (fleet / "elsewhere/sglang-kimi.service").read_text()
    edit(fleet, "hicache-ratio: 4.0", "hicache-ratio: 3.0")
    assert main(["render"]) == 1
    assert (fleet / "elsewhere/sglang-kimi.service").read_text() == before


def test_a_disk_that_is_full_leaves_the_old_unit_whole(fleet, capsys, monkeypatch):
    before = (fleet / UNIT).read_text()
    edit(fleet, "hicache-ratio: 4.0", "hicache-ratio: 3.0")

    def full(target: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(replace, "replace_file", full)
    assert main(["render"]) == 1
    out = capsys.readouterr().out
    assert "RND007" in out
    assert "no space left on device" in out
    assert (fleet / UNIT).read_text() == before


def test_a_write_that_breaks_leaves_no_half_file(fleet, monkeypatch):
    before = (fleet / UNIT).read_text()

    def broken(self: Path, target: Path) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "replace", broken)
    with pytest.raises(OSError, match="Input/output"):
        replace.replace_file(fleet / UNIT, "new")
    assert (fleet / UNIT).read_text() == before
    assert [path.name for path in (fleet / "units/kimi-01").iterdir()] == ["sglang-kimi.service"]


def test_a_secret_in_the_spec_is_not_shown(fleet, capsys):
    edit(fleet, "      tp-size: 8", "      api-key: sk-verysecretkey0123456789\n      tp: 8")
    assert main(["render"]) == 1
    captured = capsys.readouterr()
    assert "sk-verysecretkey0123456789" not in captured.out + captured.err


def test_many_hosts_on_several_processors_give_the_same(fleet, capsys, monkeypatch):
    from sgfleet.fleet import spread

    for number in range(12):
        shutil.copytree(fleet / "hosts/kimi-01", fleet / f"hosts/kimi-1{number}")
        for file in ("host.yaml", "facts.yaml"):
            edit(fleet, "host: kimi-01\n", f"host: kimi-1{number}\n", f"hosts/kimi-1{number}/{file}")
    monkeypatch.setattr(spread, "MANY", 5)
    monkeypatch.setattr(spread, "_CHUNK", 2)
    assert main(["render"]) == 0
    monkeypatch.undo()
    monkeypatch.chdir(fleet)
    assert main(["render", "--check"]) == 0


def test_nothing_to_render_is_no_success(tmp_path):
    (tmp_path / "hosts").mkdir()
    assert main(["render", "--root", str(tmp_path)]) == 3


@pytest.mark.parametrize("form", ["json", "github", "sarif"])
def test_drift_in_every_form(fleet, capsys, form):
    edit(fleet, "hicache-ratio: 4.0", "hicache-ratio: 3.0")
    assert main(["render", "--check", "--format", form]) == 1
    assert "RND002" in capsys.readouterr().out


def test_staged_in_a_repository_that_git_refuses(fleet, monkeypatch, tmp_path):
    subprocess.run(["git", "init", "-q", str(fleet)], check=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    done = subprocess.run(
        [Path(sys.executable).parent / "sgfleet", "render", "--staged"], cwd=fleet, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert f"error: Git refuses {fleet}: the repository belongs to another user" in done.stderr
    assert "git config --global --add safe.directory" in done.stderr


def test_staged_in_a_part_of_a_repository_names_files_as_git_add_takes_them(fleet, monkeypatch):
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    top, fleet = fleet, fleet / "part"
    fleet.mkdir()
    for name in ("hosts", "units", "fleet.yaml"):
        (top / name).rename(fleet / name)
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    subprocess.run(["git", "add", "."], cwd=top, check=True)
    edit(fleet, "hicache-ratio: 4.0", "hicache-ratio: 3.0")
    words = [Path(sys.executable).parent / "sgfleet", "render", "--staged", "--root", fleet.name]
    stopped = subprocess.run(words, cwd=top, capture_output=True, text=True)
    assert stopped.returncode == 1
    told = stopped.stderr.partition("help: ")[2]
    assert f" {fleet.name}/{UNIT}" in told
    assert f" {fleet.name}/hosts/" in told
    subprocess.run(told, shell=True, cwd=top, check=True)
    assert subprocess.run(words, cwd=top).returncode == 0


def test_staged_outside_of_git_is_an_error(fleet, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(fleet.parent))
    done = subprocess.run(
        [Path(sys.executable).parent / "sgfleet", "render", "--staged"], cwd=fleet, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "error: git" in done.stderr
