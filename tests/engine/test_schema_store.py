"""Where schemas are looked for, and what is said when there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sgfleet.engine import schema_file, store
from sgfleet.engine.flag import Flag
from sgfleet.engine.release import Release

if TYPE_CHECKING:
    from pathlib import Path


def place(root: Path, version: str, *names: str) -> Path:
    folder = root / store.FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{version}.json"
    path.write_text(schema_file.encode(Release(version, tuple(Flag((f"--{name}",), name) for name in names))))
    return path


def test_the_repository_comes_before_what_sgfleet_brings(tmp_path: Path) -> None:
    assert len(store.load("0.5.9").flags) == 331
    place(tmp_path, "0.5.9", "only")
    assert [flag.name for flag in store.load("0.5.9", tmp_path).flags] == ["only"]
    assert len(store.load("0.5.8", tmp_path).flags) == 328


def test_available_has_both_in_order(tmp_path: Path) -> None:
    place(tmp_path, "0.10.0.post1", "a")
    place(tmp_path, "0.10.0", "a")
    assert store.available(tmp_path)[-3:] == ["0.5.23", "0.10.0", "0.10.0.post1"]
    assert store.available()[:3] == ["0.4.0", "0.4.0.post1", "0.4.0.post2"]


def test_a_schema_is_read_once_and_again_when_it_changes(tmp_path: Path) -> None:
    place(tmp_path, "0.10.0", "a")
    first = store.load("0.10.0", tmp_path)
    assert store.load("0.10.0", tmp_path) is first
    place(tmp_path, "0.10.0", "a", "b")
    assert [flag.name for flag in store.load("0.10.0", tmp_path).flags] == ["a", "b"]


@pytest.mark.parametrize(
    ("wanted", "near"),
    [
        ("0.5.9.post7", ("0.5.9", "0.5.10", "0.5.8.post1")),
        ("0.5.3.post9", ("0.5.3.post3", "0.5.3.post2", "0.5.3.post1")),
        ("0.6.0", ("0.5.23", "0.5.22", "0.5.21")),
        ("0.5.5.pos1", ("0.5.5.post1",)),
    ],
)
def test_near_releases_of_one_that_is_not_there(wanted: str, near: tuple[str, ...]) -> None:
    with pytest.raises(store.UnknownReleaseError, match="no flag schema of SGLang") as caught:
        store.load(wanted)
    assert caught.value.path is None
    assert caught.value.near[: len(near)] == near


@pytest.mark.parametrize(
    "wanted", ["", "latest", "../0.5.9", "0.5.9/../0.5.9", "0.5.9\x00", "9" * 5000, "index", "0.5.10rc0"]
)
def test_what_is_no_release_is_never_a_path(wanted: str) -> None:
    with pytest.raises(store.UnknownReleaseError):
        store.load(wanted)


def test_a_damaged_file_has_its_place(tmp_path: Path) -> None:
    path = place(tmp_path, "0.10.0", "a", "b")
    path.write_text(path.read_text()[:-20])
    with pytest.raises(store.DamagedSchemaError) as caught:
        store.load("0.10.0", tmp_path)
    assert caught.value.path == path
    assert caught.value.line == 9
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(store.DamagedSchemaError, match="cannot be read"):
        store.load("0.10.0", tmp_path)
    path.write_bytes(b" " * (4 * 2**20 + 1))
    with pytest.raises(store.DamagedSchemaError, match="at most"):
        store.load("0.10.0", tmp_path)
    path.unlink()
    path.mkdir()
    with pytest.raises(store.DamagedSchemaError, match="cannot be read"):
        store.load("0.10.0", tmp_path)


def test_one_release_under_the_name_of_another(tmp_path: Path) -> None:
    path = place(tmp_path, "0.10.0", "a")
    path.rename(path.with_name("0.10.1.json"))
    with pytest.raises(store.DamagedSchemaError, match=r"the schema of '0\.10\.0'"):
        store.load("0.10.1", tmp_path)
