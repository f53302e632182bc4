"""The tree: nothing outside of it is ever read, and nothing makes it wait."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from sgfleet.source.decode import LARGEST_BYTES
from sgfleet.source.problems import SourceError
from sgfleet.source.tree import Kind, WorkTree, read_document

if TYPE_CHECKING:
    from pathlib import Path


def code(tree: WorkTree, path: str) -> str:
    with pytest.raises(SourceError) as caught:
        tree.read(path)
    (finding,) = caught.value.findings
    assert finding.place.path == path
    return finding.code


def test_entries_are_sorted_and_have_their_kinds(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a.yaml").write_text("x")
    (tmp_path / "c").symlink_to("b")
    os.mkfifo(tmp_path / "d")
    found = WorkTree(tmp_path).entries("")
    assert [(entry.name, entry.kind) for entry in found] == [
        ("a.yaml", Kind.FILE),
        ("b", Kind.FOLDER),
        ("c", Kind.SYMLINK),
        ("d", Kind.OTHER),
    ]


def test_a_folder_that_is_not_there_has_no_entries(tmp_path: Path) -> None:
    assert WorkTree(tmp_path).entries("hosts") == ()


def test_a_document_is_read(tmp_path: Path) -> None:
    (tmp_path / "hosts").mkdir()
    (tmp_path / "hosts" / "a.yaml").write_text("a: 1\n")
    assert read_document(WorkTree(tmp_path), "hosts/a.yaml").data == {"a": 1}


def test_symbolic_links_are_refused_wherever_they_lead(tmp_path: Path) -> None:
    (tmp_path / "in.yaml").write_text("a: 1\n")
    (tmp_path / "link.yaml").symlink_to("in.yaml")
    (tmp_path / "out.yaml").symlink_to("/etc/hostname")
    (tmp_path / "dangling.yaml").symlink_to("nowhere")
    tree = WorkTree(tmp_path)
    assert {code(tree, name) for name in ("link.yaml", "out.yaml", "dangling.yaml")} == {"SRC016"}


def test_a_way_through_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "f.yaml").write_text("a: 1\n")
    (tmp_path / "way").symlink_to("real")
    assert code(WorkTree(tmp_path), "way/f.yaml") == "SRC016"


def test_a_root_that_is_itself_a_link_is_fine(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "f.yaml").write_text("a: 1\n")
    (tmp_path / "root").symlink_to("real")
    assert read_document(WorkTree(tmp_path / "root"), "f.yaml").data == {"a": 1}


@pytest.mark.parametrize("path", ["../x/f", "a/../../f", "/etc/passwd", "/passwd", "..", "f\0g", "a\0/f"])
def test_no_path_leaves_the_tree(tmp_path: Path, path: str) -> None:
    assert code(WorkTree(tmp_path), path) == "SRC016"


def test_a_fifo_and_a_folder_are_no_files_and_nobody_waits(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    tree = WorkTree(tmp_path)
    assert code(tree, "fifo") == "SRC023"
    assert code(tree, "folder") == "SRC023"
    assert code(tree, "missing") == "SRC022"


def test_a_socket_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket may have 107 characters
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        assert code(WorkTree(tmp_path), "socket") == "SRC023"


def test_a_file_in_the_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("")
    tree = WorkTree(tmp_path)
    assert code(tree, "hosts/a/host.yaml") == "SRC022"
    with pytest.raises(SourceError, match="in the place of a folder"):
        tree.entries("hosts")


def test_names_that_are_no_utf_8_are_listed_and_read(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff.yaml")
    (tmp_path / name).write_text("a: 1\n")
    tree = WorkTree(tmp_path)
    assert [entry.name for entry in tree.entries("")] == [name]
    assert tree.read(name) == b"a: 1\n"


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(100 * 10**6)
    assert code(WorkTree(tmp_path), "huge") == "SRC010"
    (tmp_path / "fits").write_bytes(b"a" * LARGEST_BYTES)
    assert len(WorkTree(tmp_path).read("fits")) == LARGEST_BYTES


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As anybody but root meets it: root may read every file, so the answer of the system is put here."""
    (tmp_path / "f").write_text("a: 1")

    def refuse(*arguments: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    assert code(WorkTree(tmp_path), "f") == "SRC015"


def test_a_link_below_a_folder_that_was_found_good_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hosts" / "real").mkdir(parents=True)
    (tmp_path / "hosts" / "real" / "f.yaml").write_text("a: 1\n")
    (tmp_path / "hosts" / "way").symlink_to("real")
    tree = WorkTree(tmp_path)
    assert tree.entries("hosts")
    assert read_document(tree, "hosts/real/f.yaml").data == {"a": 1}
    assert {code(tree, f"hosts/way{rest}") for rest in ("/f.yaml", "/./f.yaml", "//f.yaml", "/x/f.yaml")} == {"SRC016"}
