"""`sgfleet model`: what it prints and writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from model import samples
from sgfleet.cli.common import UsageError
from sgfleet.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "repo" / "hosts").mkdir(parents=True)
    return tmp_path / "repo"


def test_a_checkpoint_is_added_and_shown(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = samples.write_checkpoint(tmp_path / "c", samples.SMALL_LLAMA)
    assert main(["model", "add", "--root", str(root), "--name", "org/small", str(folder)]) == 0
    assert capsys.readouterr().out == "added     org/small  LlamaForCausalLM: 3 full, exact weights\n"
    assert main(["model", "add", "--root", str(root), "--name", "org/small", str(folder)]) == 0
    assert capsys.readouterr().out.startswith("unchanged org/small")
    assert (root / "schema" / "models" / "org--small.json").is_file()
    assert main(["model", "show", "--root", str(root), "--tp", "2", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("org/small\n  LlamaForCausalLM, 3 layers: 3 full\n")
    assert "weights a rank (exact):" in shown


def test_configurations_are_added_with_what_is_beside_them(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sources = [str(path) for path in sorted(samples.CONFIGS.glob("nvidia--GLM-5-NVFP4*.json"))]
    assert len(sources) == 2
    assert main(["model", "add", "--root", str(root), "--format", "json", *sources]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report == {"format": 1, "added": ["nvidia/GLM-5-NVFP4"], "changed": [], "unchanged": [], "failed": []}


def test_what_cannot_be_added_is_said_and_the_rest_is_added(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    good = samples.CONFIGS / "Qwen--Qwen3-0.6B.json"
    assert main(["model", "add", "--root", str(root), str(bad), str(good)]) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith("added     Qwen/Qwen3-0.6B")
    assert printed.err.startswith("error: config.json of bad: has no architectures\nhelp: ")


def test_an_estimate_says_its_error(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "show", "--root", str(root), "--tp", "8", "/shared/kimi-k2.5-int4"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("moonshotai/Kimi-K2.5 (asked for /shared/kimi-k2.5-int4; believed to be this one)\n")
    assert "weights a rank (estimated, within 7%):" in shown
    assert "does not say whether these parts are quantised" in shown


def test_stages_are_shown_apart(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "show", "--root", str(root), "--pp", "2", "deepseek-ai/DeepSeek-V3", "--format", "json"]) == 0
    stages = json.loads(capsys.readouterr().out)["weights"]["stages"]
    assert [stage["layers"] for stage in stages] == [[0, 30], [30, 61]]
    assert main(["model", "show", "--root", str(root), "--pp", "2", "deepseek-ai/DeepSeek-V3"]) == 0
    shown = capsys.readouterr().out
    assert "stage 1, layers 30 to 60:" in shown
    assert "MTP layers, when loaded:" in shown


def test_an_unknown_model_is_one_error(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "show", "--root", str(root), "no/such"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("error:") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "x", "--tp", "0"],
        ["show", "x", "--tp", "8", "--dp", "3"],
        ["add", "--name", "../x", "."],
        ["add", "--name", "a/b", ".", "."],
        ["add", "nowhere"],
    ],
)
def test_calls_that_are_off(root: Path, arguments: list[str]) -> None:
    with pytest.raises(UsageError):
        main(["model", arguments[0], "--root", str(root), *arguments[1:]])


def test_the_list_has_what_came_along(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "list", "--root", str(root), "--format", "json"]) == 0
    models = {row["model"]: row for row in json.loads(capsys.readouterr().out)["models"]}
    assert models["moonshotai/Kimi-K2.5"]["layers"] == {"latent": 61}
    assert main(["model", "list", "--root", str(root)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(models) >= 89
