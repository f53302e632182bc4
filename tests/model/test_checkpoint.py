"""A checkpoint's folder: the whole of it, and every way in which a part is missing or contradicts another."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from model import samples
from sgfleet.model.checkpoint import INDEX_FILE, read_checkpoint
from sgfleet.model.describe import describe, describe_file
from sgfleet.model.problem import ModelError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return samples.write_checkpoint(tmp_path / "small", samples.SMALL_LLAMA)


def index_of(folder: Path) -> dict[str, str]:
    weight_map: dict[str, str] = json.loads((folder / INDEX_FILE).read_text())["weight_map"]
    return weight_map


def write_index(folder: Path, weight_map: object) -> None:
    (folder / INDEX_FILE).write_text(json.dumps({"weight_map": weight_map}))


def test_all_tensors_of_all_files(folder: Path) -> None:
    checkpoint = read_checkpoint(folder)
    assert {tensor.name for tensor in checkpoint.tensors} == samples.small_tensors(samples.SMALL_LLAMA).keys()
    assert checkpoint.notes == ()


def test_a_checkpoint_of_one_file_needs_no_index(tmp_path: Path) -> None:
    folder = samples.write_checkpoint(tmp_path, samples.SMALL_LLAMA, files=1)
    (folder / INDEX_FILE).unlink()
    assert describe(folder, name="a/b").pieces is not None


def test_links_into_a_cache_are_followed(folder: Path, tmp_path: Path) -> None:
    snapshot = tmp_path / "models--org--name" / "snapshots" / "0123"
    snapshot.mkdir(parents=True)
    for path in folder.iterdir():
        (snapshot / path.name).symlink_to(path)
    facts = describe(snapshot)
    assert facts.name == "org/name"
    assert facts.pieces is not None


def test_files_beside_the_index_are_not_loaded(folder: Path) -> None:
    (folder / "consolidated.safetensors").write_bytes(samples.safetensors({"other": ("BF16", [4])}))
    assert "other" not in {tensor.name for tensor in read_checkpoint(folder).tensors}


def test_without_tensors_the_configuration_has_to_do(folder: Path) -> None:
    for path in [*folder.glob("*.safetensors"), folder / INDEX_FILE]:
        path.unlink()
    checkpoint = read_checkpoint(folder)
    assert checkpoint.tensors == ()
    assert "no safetensors files" in checkpoint.notes[0]
    assert describe(folder, name="a/b").pieces is None


def test_no_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is not a folder"):
        read_checkpoint(tmp_path / "nowhere")


def test_no_configuration_names_the_command(folder: Path) -> None:
    (folder / "config.json").unlink()
    with pytest.raises(ModelError, match="cannot be read: no such file") as raised:
        read_checkpoint(folder)
    assert "sgfleet model add" in raised.value.help


@pytest.mark.parametrize("weight_map", [None, [], {"a": 1}, "x"])
def test_an_index_without_a_map_is_said(folder: Path, weight_map: object) -> None:
    write_index(folder, weight_map)
    with pytest.raises(ModelError, match="no weight_map"):
        read_checkpoint(folder)


def test_an_index_that_is_no_json_is_said(folder: Path) -> None:
    (folder / INDEX_FILE).write_text("{")
    with pytest.raises(ModelError, match="is not JSON"):
        read_checkpoint(folder)


def test_a_file_that_is_missing_is_counted_and_named(folder: Path) -> None:
    (folder / "model-00001-of-00002.safetensors").unlink()
    with pytest.raises(ModelError, match="names 1 of 2 files that are not there, model-00001-of-00002") as raised:
        read_checkpoint(folder)
    assert "download" in raised.value.help


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "sub/model.safetensors", ".hidden", ".."])
def test_an_index_that_leads_out_of_the_folder_is_refused(folder: Path, name: str) -> None:
    write_index(folder, {**index_of(folder), "x": name})
    with pytest.raises(ModelError, match="names a file outside the folder"):
        read_checkpoint(folder)


def test_a_tensor_that_no_file_has_is_said(folder: Path) -> None:
    write_index(folder, {**index_of(folder), "model.layers.9.x": "model-00001-of-00002.safetensors"})
    with pytest.raises(ModelError, match=r"lists 1 tensors that no file has, 'model\.layers\.9\.x' first"):
        read_checkpoint(folder)


def test_a_tensor_beside_the_index_is_noted(folder: Path) -> None:
    listed = index_of(folder)
    del listed["model.norm.weight"]
    write_index(folder, listed)
    assert read_checkpoint(folder).notes == ("1 tensors are not in the index",)


def test_a_tensor_in_two_files_is_said(folder: Path) -> None:
    (folder / INDEX_FILE).unlink()
    (folder / "again.safetensors").write_bytes(samples.safetensors({"lm_head.weight": ("BF16", [256, 64])}))
    with pytest.raises(ModelError, match=r"has 'lm_head\.weight', which .* has too"):
        read_checkpoint(folder)


def test_a_cut_file_is_said_with_its_name(folder: Path) -> None:
    path = folder / "model-00002-of-00002.safetensors"
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ModelError, match=r"model-00002-of-00002\.safetensors: places"):
        read_checkpoint(folder)


def test_headers_of_another_model_are_said(folder: Path) -> None:
    config = {**samples.SMALL_LLAMA, "num_hidden_layers": 30}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=r"has tensors of .* GB, where its config\.json describes about"):
        describe(folder, name="a/b")


def test_a_file_that_may_not_be_read_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As anybody but root meets it: root may read every file, so the answer of the system is put here."""

    def refuse(*_arguments: object, **_named: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(ModelError, match="cannot be read: permission denied"):
        read_checkpoint(folder)


def test_a_folder_in_place_of_a_file_is_said(folder: Path) -> None:
    (folder / "config.json").unlink()
    (folder / "config.json").mkdir()
    with pytest.raises(ModelError, match="cannot be read: is a directory"):
        read_checkpoint(folder)


def test_a_configuration_alone_with_the_quantisation_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "nvidia--DeepSeek-V3.1-NVFP4.json"
    for name in (path.name, "nvidia--DeepSeek-V3.1-NVFP4.quant.json"):
        (tmp_path / name).write_bytes((samples.CONFIGS / name).read_bytes())
    facts = describe_file(path)
    assert facts.name == "nvidia/DeepSeek-V3.1-NVFP4"
    assert facts.shape.quantisation is not None
    assert facts.shape.quantisation.kv_cache == "fp8"
    assert facts.pieces is None


@pytest.mark.parametrize("name", ["config.json", "more.safetensors"])
def test_a_pipe_makes_nobody_wait(folder: Path, name: str) -> None:
    (folder / name).unlink(missing_ok=True)
    (folder / INDEX_FILE).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    with pytest.raises(ModelError, match="a pipe or a device in the place of a file"):
        read_checkpoint(folder)
