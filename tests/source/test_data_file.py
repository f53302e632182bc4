"""Generated files: what stands in their place is said, what is not there is nothing, and a pipe makes nobody wait."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from sgfleet.source import data_file
from sgfleet.source.data_file import DataFileError

if TYPE_CHECKING:
    from pathlib import Path


def put(path: Path, what: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    match what:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "loop":
            path.symlink_to(path.name)
        case "dangling":
            path.symlink_to("nowhere")
        case "socket":
            socket.socket(socket.AF_UNIX).bind(str(path))


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("pipe", "a pipe or a device in the place of a file"),
        ("folder", "a folder in the place of a file"),
        ("loop", "a symbolic link that leads nowhere"),
        ("dangling", "a symbolic link that leads nowhere"),
        ("socket", "in the place of a file"),
    ],
)
@pytest.mark.parametrize("ask", [data_file.look, lambda path: data_file.read_bytes(path, 9)])
def test_what_is_no_file_is_said(tmp_path: Path, monkeypatch, what: str, said: str, ask) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.json"
    put(path.relative_to(tmp_path) if what == "socket" else path, what)
    with pytest.raises(DataFileError, match=said) as caught:
        ask(path)
    assert caught.value.path == str(path)
    assert data_file.before(path, 9) is None


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("pipe", "a pipe or a device in the place of a folder"),
        ("loop", "a symbolic link that leads nowhere"),
        ("dangling", "a symbolic link that leads nowhere"),
    ],
)
def test_what_is_no_folder_of_the_way_is_at_fault_itself(tmp_path: Path, what: str, said: str) -> None:
    folder = tmp_path / "schema" / "models"
    put(folder, what)
    for ask in (lambda: data_file.names(folder, ".json"), lambda: data_file.look(folder / "a.json")):
        with pytest.raises(DataFileError, match=said) as caught:
            ask()
        assert caught.value.path == str(folder)


def test_nothing_is_nothing(tmp_path: Path) -> None:
    for path in (tmp_path / "a", tmp_path / "b" / "c" / "d", tmp_path / ("x" * 300)):
        assert data_file.look(path) is None
        assert data_file.names(path, "") == []
        assert data_file.before(path, 9) is None


def test_a_file_is_read_behind_links_and_up_to_a_bound(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"123")
    (tmp_path / "b").symlink_to("a")
    assert data_file.look(tmp_path / "b") is not None
    assert data_file.read_bytes(tmp_path / "b", 3) == b"123"
    with pytest.raises(DataFileError, match="3 bytes, and such a file has at most 2"):
        data_file.read_bytes(tmp_path / "b", 2)
