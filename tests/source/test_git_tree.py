"""A revision reads as a fresh checkout of it does: both trees answer the same, findings included."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from sgfleet.source.decode import LARGEST_BYTES
from sgfleet.source.git import IsolatedGit
from sgfleet.source.git_objects import GitObjects
from sgfleet.source.git_tree import GitTree
from sgfleet.source.problems import SourceError
from sgfleet.source.tree import Entry, Kind, Tree, WorkTree
from support.repository import git

if TYPE_CHECKING:
    from pathlib import Path

ODD = ["hosts/ä ö.yaml", "hosts/a\tb\nc", "hosts/-x", "hosts/~tilde", "hosts/'quoted\"", b"hosts/\xff\xfe.bin"]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with everything that a tree may hold, in a folder of its own inside of the checkout too."""
    root = tmp_path_factory.mktemp("tree") / "repository"
    for path in ("hosts/a/host.yaml", "hosts/a/deep/er/file", "inner/hosts/b/host.yaml", "units/a/x.service"):
        root.joinpath(path).parent.mkdir(parents=True, exist_ok=True)
        root.joinpath(path).write_text(f"path: {path}\n")
    for name in ODD:
        with open(os.path.join(os.fsencode(root), os.fsencode(name)), "wb") as file:  # noqa: PTH118, PTH123 - bytes
            file.write(b"odd\0\xff")
    root.joinpath("hosts/empty").write_bytes(b"")
    root.joinpath("hosts/program").write_text("#!/bin/sh\n")
    root.joinpath("hosts/program").chmod(0o755)
    root.joinpath("hosts/large").write_bytes(b"x" * (LARGEST_BYTES + 1))
    root.joinpath("hosts/just").write_bytes(b"x" * LARGEST_BYTES)
    for name, target in (("link", "a/host.yaml"), ("folder-link", "a"), ("out", "/etc/passwd"), ("dangling", "none")):
        root.joinpath("hosts", name).symlink_to(target)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},hosts/module")
    root.joinpath("hosts/module").mkdir()
    git(root, "commit", "-qm", "everything")
    return root


def trees(checkout: Path, tmp_path: Path, kind: str) -> tuple[Tree, Tree]:
    """The checkout's own files, and the same revision through Git."""
    revision = git(checkout, "rev-parse", "HEAD")
    match kind:
        case "checkout":
            return WorkTree(checkout), GitTree(GitObjects(checkout), revision)
        case "folder":
            return WorkTree(checkout / "inner"), GitTree(GitObjects(checkout / "inner"), revision, "inner/")
        case "tree":
            return WorkTree(checkout), GitTree(GitObjects(checkout), git(checkout, "rev-parse", "HEAD^{tree}"))
    options = {"bare": ["--bare"], "shallow": ["--bare", "--depth=1"], "partial": ["--bare", "--filter=blob:none"]}
    git(checkout, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone.git"
    git(tmp_path, "clone", "-q", *options.get(kind, ["--bare"]), f"file://{checkout}", str(clone))
    if kind == "isolated":
        return WorkTree(checkout), GitTree(GitObjects(IsolatedGit(clone)), revision)
    return WorkTree(checkout), GitTree(GitObjects(clone), revision)


def answer(tree: Tree, ask: str, path: str) -> object:
    """What a tree says, as something that can be compared."""
    try:
        return tree.entries(path) if ask == "entries" else tree.read(path)
    except SourceError as error:
        return error.findings


PATHS = [
    "", ".", "hosts", "hosts/", "./hosts", "hosts//a", "hosts/a", "hosts/a/host.yaml", "hosts/a/host.yaml/below",
    "hosts/a/none", "none", "none/none", "hosts/link", "hosts/link/below", "hosts/folder-link", "hosts/out",
    "hosts/folder-link/host.yaml", "hosts/dangling", "hosts/module", "hosts/module/file", "hosts/empty",
    "hosts/program", "hosts/large", "hosts/just", "units", "inner", "../x", "hosts/../hosts", "/etc", "/etc/passwd",
    "hosts/a\0b", "hosts/ä ö.yaml", "hosts/a\tb\nc", "hosts/\udcff\udcfe.bin",
]  # fmt: skip


@pytest.mark.parametrize("kind", ["checkout", "bare", "isolated", "shallow", "partial", "folder", "tree"])
def test_both_answer_the_same(checkout: Path, tmp_path: Path, kind: str) -> None:
    files, revision = trees(checkout, tmp_path, kind)
    for path in PATHS:
        for ask in ("entries", "read"):
            expected, found = answer(files, ask, path), answer(revision, ask, path)
            if path in {"", "."} and ask == "entries":
                expected = tuple(entry for entry in files.entries(path) if entry.name != ".git")
            assert found == expected, f"{kind}: {ask} {path!r}"


def test_every_kind_is_told(checkout: Path) -> None:
    tree = GitTree(GitObjects(checkout), git(checkout, "rev-parse", "HEAD"))
    kinds = {entry.name: entry.kind for entry in tree.entries("hosts")}
    assert kinds["link"] is kinds["out"] is Kind.SYMLINK
    assert kinds["module"] is kinds["a"] is Kind.FOLDER
    assert kinds["program"] is kinds["\udcff\udcfe.bin"] is Kind.FILE


def test_a_revision_that_is_not_there_is_said(checkout: Path) -> None:
    for revision in ("0" * 40, "no-such-branch", "two\nlines"):
        with pytest.raises(SourceError, match="does not have the object"):
            GitTree(GitObjects(checkout), revision).entries("hosts")


def test_a_folder_that_is_no_repository_is_said(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="git cat-file"):
        GitTree(GitObjects(tmp_path), "HEAD").entries("hosts")
    with pytest.raises(SourceError, match="there is no folder"):
        GitTree(GitObjects(tmp_path / "none"), "HEAD").entries("hosts")


def test_names_that_no_file_system_has_are_refused(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "repository.git")
    bare = tmp_path / "repository.git"
    blob = bytes.fromhex(git(bare, "hash-object", "-w", "--stdin", stdin="text"))
    for name in (b"..", b".", b"a/b"):
        made = subprocess.run(
            ["git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"],
            cwd=bare, input=b"100644 " + name + b"\0" + blob, capture_output=True, check=True,
        )  # fmt: skip
        with pytest.raises(SourceError, match="no file system has"):
            GitTree(GitObjects(bare), made.stdout.decode().strip()).entries("")


def test_objects_of_sha256(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256")
    tmp_path.joinpath("file").write_text("x")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "one")
    tree = GitTree(GitObjects(tmp_path), git(tmp_path, "rev-parse", "HEAD"))
    assert tree.entries("") == (Entry("file", Kind.FILE),)
    assert tree.read("file") == b"x"
    assert len(tree.stamp("file") or "") == 64


def test_a_replaced_object_is_read_as_it_was_committed(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    tmp_path.joinpath("file").write_text("committed")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "one")
    other = git(tmp_path, "hash-object", "-w", "--stdin", stdin="another")
    git(tmp_path, "replace", git(tmp_path, "rev-parse", "HEAD:file"), other)
    assert GitTree(GitObjects(tmp_path), git(tmp_path, "rev-parse", "HEAD")).read("file") == b"committed"


def test_a_forked_process_reads_through_a_git_of_its_own(checkout: Path) -> None:
    tree = GitTree(GitObjects(checkout), git(checkout, "rev-parse", "HEAD"))
    assert tree.read("hosts/a/host.yaml")
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, tree.read("hosts/just")[:5])
        os._exit(0)
    assert tree.read("units/a/x.service") == b"path: units/a/x.service\n"
    assert os.read(reading, 5) == b"xxxxx"
    os.waitpid(child, 0)
    os.close(reading)
    os.close(writing)


def test_equal_revisions_are_equal_trees(checkout: Path) -> None:
    objects, revision = GitObjects(checkout), git(checkout, "rev-parse", "HEAD")
    assert GitTree(objects, revision) == GitTree(GitObjects(checkout), revision)
    assert len({GitTree(objects, revision), GitTree(objects, revision, "inner"), GitTree(objects, revision)}) == 2
