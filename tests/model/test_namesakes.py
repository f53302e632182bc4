"""A folder that is called as a known model is means that model, whatever other names are like it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from model import samples
from sgfleet.model import store
from sgfleet.model.describe import describe
from sgfleet.model.facts import write_facts
from sgfleet.model.find import find
from sgfleet.model.problem import ModelError
from sgfleet.model.writer import write

if TYPE_CHECKING:
    from pathlib import Path

OWNERS = defaultdict(list)
for _stem in store.files():
    OWNERS[_stem.partition("--")[2]].append(_stem.replace("--", "/", 1))


@pytest.mark.parametrize("name", sorted(OWNERS))
def test_a_folder_of_its_name_is_that_model(name: str) -> None:
    for path in (f"/srv/models/{name}", f"/srv/models/{name.lower()}/", f"somebody/{name}", name):
        if len(OWNERS[name]) == 1:
            assert [find(path, local=False).shape.source.name] == OWNERS[name]
            continue
        with pytest.raises(ModelError, match="one of several") as raised:
            find(path, local=False)
        assert all(owner in raised.value.message for owner in OWNERS[name])
    for owner in OWNERS[name]:
        assert find(owner.lower(), local=False).shape.source.name == owner


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/srv/models/DeepSeek-V3.2-FP8", "deepseek-ai/DeepSeek-V3.2"),
        ("/srv/models/DeepSeek-V3-0324", "deepseek-ai/DeepSeek-V3"),
        ("/srv/models/DeepSeek-V3.2-Exp", "deepseek-ai/DeepSeek-V3.2"),
    ],
)
def test_of_several_that_are_like_it_the_one_of_its_version_is_meant(path: str, name: str) -> None:
    assert find(path, local=False).shape.source.name == name


def test_a_version_that_none_of_several_has_is_no_guess() -> None:
    with pytest.raises(ModelError, match=r"one of several models: deepseek-ai/DeepSeek-V3, deepseek-ai/DeepSeek-V3\.2"):
        find("/srv/models/DeepSeek-V3.1", local=False)


def test_the_same_name_of_two_owners_is_no_guess(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    (root / store.FOLDER).mkdir(parents=True)
    for name in ("a/Small-V1", "b/small-v1", "b/Small-V2"):
        folder = samples.write_checkpoint(tmp_path / name.replace("/", "-"), samples.SMALL_LLAMA)
        facts = describe(folder, name=name)
        write(facts, write_facts(facts), root / store.FOLDER)
    with pytest.raises(ModelError, match="one of several models: a/Small-V1, b/small-v1"):
        find("/x/Small-V1", root)
    assert find("B/SMALL-V1", root).shape.source.name == "b/small-v1"
