"""How a model path finds its model: surely, or said to be like another, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from model import samples
from sgfleet.model import store
from sgfleet.model.describe import describe
from sgfleet.model.facts import write_facts
from sgfleet.model.find import find
from sgfleet.model.parallel import Parallel
from sgfleet.model.problem import ModelError
from sgfleet.model.writer import write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "path",
    [
        "moonshotai/Kimi-K2.5",
        "moonshotai/Kimi-K2.5/",
        "/root/.cache/huggingface/hub/models--moonshotai--Kimi-K2.5/snapshots/0123abc",
    ],
)
def test_an_exact_name(path: str) -> None:
    source = find(path).shape.source
    assert (source.kind, source.name, source.match, source.asked) == ("facts", "moonshotai/Kimi-K2.5", "exact", None)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/shared/kimi-k2.5-int4", "moonshotai/Kimi-K2.5"),
        ("/models/Kimi-K2.5-NVFP4/", "nvidia/Kimi-K2.5-NVFP4"),
        ("Qwen3-235B-A22B", "Qwen/Qwen3-235B-A22B"),
        ("/path/to/Qwen3-235B-A22B-FP8", "Qwen/Qwen3-235B-A22B-FP8"),
        ("deepseek-ai/DeepSeek-R1-0528", "deepseek-ai/DeepSeek-R1"),
        ("/srv/models/Llama-3.1-8B-Instruct", "meta-llama/Meta-Llama-3.1-8B"),
        ("other/GLM_5_FP8", "zai-org/GLM-5-FP8"),
    ],
)
def test_a_name_that_is_like_one_model_is_said_to_be(path: str, name: str) -> None:
    source = find(path).shape.source
    assert (source.name, source.match, source.asked) == (name, "similar", path)


def test_another_variant_has_an_unknown_context_length() -> None:
    assert find("deepseek-ai/DeepSeek-R1-0528").shape.context_length is None
    assert find("/models/DeepSeek-R1").shape.context_length == 163840


@pytest.mark.parametrize(
    "path",
    ["", "/", "x/unknown", "/models/Kimi-K2.5-AWQ-custom", "/m/Qwen3-0.6B-FP8", "kimi", "\0", "a/../b", "-" * 300],
)
def test_an_unknown_model_names_the_command(path: str) -> None:
    with pytest.raises(ModelError, match="nothing is known") as raised:
        find(path)
    assert "sgfleet model add" in raised.value.help


def test_several_models_that_could_be_meant_are_named(tmp_path: Path) -> None:
    root = repository(tmp_path)
    for name in ("a/Small-Model-FP8", "b/Small-Model-NVFP4"):
        folder = samples.write_checkpoint(tmp_path / name.replace("/", "-"), samples.SMALL_LLAMA)
        facts = describe(folder, name=name)
        write(facts, write_facts(facts), root / store.FOLDER)
    with pytest.raises(ModelError, match="one of several models: a/Small-Model-FP8, b/Small-Model-NVFP4"):
        find("/x/small-model", root)


def repository(tmp_path: Path) -> Path:
    (tmp_path / "repo" / store.FOLDER).mkdir(parents=True)
    return tmp_path / "repo"


def test_a_folder_on_this_machine_is_read_exactly(tmp_path: Path) -> None:
    folder = samples.write_checkpoint(tmp_path / "small", samples.SMALL_LLAMA)
    found = find(str(folder))
    assert found.shape.source.kind == "headers"
    assert found.weights(Parallel(tp=2)).exact
    with pytest.raises(ModelError):
        find(str(folder), local=False)


def test_facts_made_from_a_folder_are_found_by_it_where_it_is_not(tmp_path: Path) -> None:
    root = repository(tmp_path)
    folder = samples.write_checkpoint(tmp_path / "checkpoint", samples.SMALL_MOE)
    facts = describe(folder, name="org/small")
    assert write(facts, write_facts(facts), root / store.FOLDER) == "added"
    assert write(facts, write_facts(facts), root / store.FOLDER) == "unchanged"
    for path in folder.iterdir():
        path.unlink()
    found = find(f"{folder}/", root)
    assert (found.shape.source.name, found.shape.source.match) == ("org/small", "exact")
    assert found.weights(Parallel()).exact


def test_facts_that_are_added_are_seen_at_once(tmp_path: Path) -> None:
    root = repository(tmp_path)
    with pytest.raises(ModelError):
        find("org/new", root)
    facts = describe(samples.write_checkpoint(tmp_path / "c", samples.SMALL_LLAMA), name="org/new")
    write(facts, write_facts(facts), root / store.FOLDER)
    assert find("org/new", root).pieces is not None


def test_the_repository_s_facts_come_before_those_that_came_along(tmp_path: Path) -> None:
    root = repository(tmp_path)
    facts = describe(samples.write_checkpoint(tmp_path / "c", samples.SMALL_LLAMA), name="moonshotai/Kimi-K2.5")
    write(facts, write_facts(facts), root / store.FOLDER)
    assert len(find("moonshotai/Kimi-K2.5", root).shape.layers) == 3
    assert len(find("moonshotai/Kimi-K2.5").shape.layers) == 61


def test_damaged_facts_are_said_and_not_passed_over(tmp_path: Path) -> None:
    root = repository(tmp_path)
    (root / store.FOLDER / "org--bad.json").write_text("{")
    with pytest.raises(ModelError, match=r"org--bad\.json: is not JSON"):
        find("org/bad", root)


@pytest.mark.parametrize("name", ["../x", "a b", "/x", ""])
def test_facts_are_never_written_elsewhere(tmp_path: Path, name: str) -> None:
    facts = describe(samples.write_checkpoint(tmp_path / "c", samples.SMALL_LLAMA), name="a/b")
    with pytest.raises(ModelError, match="no name for a model"):
        write(type(facts)(name, facts.source, facts.shape), "x", tmp_path / "models")
    assert not (tmp_path / "models").exists()


def test_weights_are_computed_once_for_each_way_of_spreading() -> None:
    found = find("moonshotai/Kimi-K2.5")
    assert found.weights(Parallel(tp=8)) is found.weights(Parallel(tp=8))
    assert found.weights(Parallel(tp=8)) is not found.weights(Parallel(tp=4))
