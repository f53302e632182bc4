"""`sgfleet schema`: pip is the real one, its index is a folder of wheels that are written here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from sgfleet.cli.common import UsageError
from sgfleet.cli.main import main
from support import sglang_wheels

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / "hosts").mkdir(parents=True)
    return root


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index of two releases and a candidate, and nothing else."""
    folder = tmp_path / "index"
    folder.mkdir()
    for variable in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    sglang_wheels.build(folder, "0.9.1")
    sglang_wheels.build(folder, "0.9.1.post1", {"sglang/srt/kinds.py": "KINDS = ['a']\n"})
    sglang_wheels.build(folder, "0.9.2rc1")
    return folder


def schema(root: Path, *words: str) -> int:
    return main(["schema", *words, "--root", str(root)])


def test_the_newest_release_is_added_by_one_command(
    repository: Path, index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert schema(repository, "add", "--latest", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "format": 1, "added": ["0.9.1.post1"], "changed": [], "unchanged": [], "opaque": {}, "failed": [],
    }  # fmt: skip
    written = (repository / "schema" / "sglang" / "0.9.1.post1.json").read_bytes()
    assert schema(repository, "add", "--latest") == 0
    assert capsys.readouterr().out == "nothing to add\n"
    assert schema(repository, "add", "0.9.1.post1") == 0
    assert capsys.readouterr().out.startswith("unchanged 0.9.1.post1")
    assert (repository / "schema" / "sglang" / "0.9.1.post1.json").read_bytes() == written
    sglang_wheels.build(index, "0.9.2")
    sglang_wheels.build(index, "0.9.3")
    assert schema(repository, "add", "--latest") == 0
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == ["0.9.2", "0.9.3"]
    assert schema(repository, "add", "--missing") == 0
    assert capsys.readouterr().out.splitlines() == ["added     0.9.1         3 flags, 4 option strings"]
    assert "--model" in (repository / "schema" / "sglang" / "index.json").read_text()
    assert not list((repository / "schema" / "sglang").glob(".*"))


def test_a_release_that_the_index_does_not_have(
    repository: Path, index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert schema(repository, "add", "0.9.7") == 1
    said = capsys.readouterr()
    assert said.err.startswith("error: 0.9.7: pip cannot fetch sglang 0.9.7: ")
    assert said.err.count("\n") == 1


def test_a_file_on_this_machine(repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel = sglang_wheels.build(tmp_path, "0.9.3", {"sglang/srt/kinds.py": "import torch\nKINDS = torch.kinds()\n"})
    assert schema(repository, "add", "--wheel", str(wheel)) == 0
    assert capsys.readouterr().out.splitlines() == [
        "added     0.9.3         3 flags, 4 option strings",
        "  opaque: --kind: calls torch.kinds, which is outside the wheel (sglang.srt.kinds:2)",
    ]
    line = json.loads((repository / "schema" / "sglang" / "0.9.3.json").read_text())["properties"]["kind"]
    assert "enum" not in line
    assert line["x-argparse"]["opaque"].startswith("calls torch.kinds")


def test_a_release_that_is_not_understood_leaves_no_file(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = sglang_wheels.SERVER_ARGS.replace('"--port", type=int', "PORTS[0], type=int")
    wheel = sglang_wheels.build(tmp_path, "0.9.3", {"sglang/srt/server_args.py": broken})
    assert schema(repository, "add", "--wheel", str(wheel)) == 1
    assert capsys.readouterr().err == (
        f"error: {wheel.name}: sglang.srt.server_args:9: the names of a flag cannot be read: "
        "there is no name 'PORTS' (sglang.srt.server_args:9)\n"
    )
    assert not (repository / "schema").exists()


def test_the_form_of_the_files_can_be_renewed(repository: Path, tmp_path: Path) -> None:
    wheel = sglang_wheels.build(tmp_path, "0.9.3")
    assert schema(repository, "add", "--wheel", str(wheel)) == 0
    path = repository / "schema" / "sglang" / "0.9.3.json"
    written = path.read_text()
    path.write_text(json.dumps(json.loads(written)))
    assert schema(repository, "add", "--rewrite") == 0
    assert path.read_text() == written


@pytest.mark.parametrize(
    "words", [[], ["0.5.9", "--latest"], ["latest"], ["0.5.10rc0"], ["../x"], ["0.5.9", "--rewrite"]]
)
def test_a_call_that_means_nothing(repository: Path, words: list[str]) -> None:
    with pytest.raises(UsageError):
        schema(repository, "add", *words)


def test_list_and_diff(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert schema(repository, "list", "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)["releases"]
    assert rows[0] == {"release": "0.4.0", "flags": 82, "options": 85, "opaque": [], "requires_python": ">=3.8"}
    assert schema(repository, "list") == 0
    assert "0.5.9          331 flags\n" in capsys.readouterr().out
    assert schema(repository, "diff", "0.5.20", "0.5.23") == 0
    said = capsys.readouterr().out
    assert said.startswith("SGLang 0.5.20 -> 0.5.23\n\nremoved (4)\n  --")
    assert "--enable-dp-attention  deprecated: none -> warns, use --attn-dp-size <dp-size>" in said
    assert schema(repository, "diff", "0.5.20", "0.5.23", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["removed"][0].keys() == {"option", "stays_as"}
    assert schema(repository, "diff", "0.5.8", "0.5.8") == 0
    assert capsys.readouterr().out.endswith("the same command line\n")


def test_diff_with_a_release_that_is_not_here(repository: Path) -> None:
    with pytest.raises(UsageError, match=r"no flag schema of SGLang '0\.5\.9\.post7'") as caught:
        schema(repository, "diff", "0.5.9.post7", "0.5.23")
    assert caught.value.help == "near: 0.5.9, 0.5.10, 0.5.8.post1; `sgfleet schema add 0.5.9.post7` adds it"
