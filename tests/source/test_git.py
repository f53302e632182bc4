"""How Git is started in a person's checkout, and what its words are taken for."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from sgfleet.source.git import IsolatedGit, git
from sgfleet.source.git_faults import (
    PATTERNS,
    CorruptError,
    GitError,
    NotInstalledError,
    TimedOutError,
    TooMuchOutputError,
    fault,
    telling_line,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    subprocess.run(("git", "init", "-q", root), check=True)
    return root


def test_a_persons_checkout(checkout: Path) -> None:
    (checkout / "a").write_text("a")
    git(checkout, "add", "a")
    assert git(checkout, "ls-files", "-z") == b"a\0"
    assert git(checkout, "hash-object", "--stdin", stdin=b"") == b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n"


def test_the_index_that_a_hook_means(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (checkout / "a").write_text("a")
    git(checkout, "add", "a")
    monkeypatch.setenv("GIT_INDEX_FILE", str(checkout / ".git" / "other"))
    assert git(checkout, "ls-files") == b""


def test_faults_of_the_call(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CorruptError, match="not a git repository"):
        IsolatedGit(tmp_path)("log")
    with pytest.raises(GitError, match="no folder"):
        git(tmp_path / "missing", "status")
    with pytest.raises(TooMuchOutputError, match="10 bytes"):
        git(checkout, "help", most_bytes=10)
    with pytest.raises(TimedOutError, match=r"hash-object took more than 0\.2 s"):
        git(checkout, "hash-object", "--stdin-paths", stdin=b"/dev/zero\n", timeout_seconds=0.2)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(NotInstalledError):
        git(checkout, "status")


def test_every_kind_has_its_word_and_its_advice() -> None:
    kinds = [kind for kind, _ in PATTERNS]
    assert len({kind.kind for kind in kinds}) == len(kinds)
    for kind in kinds:
        assert kind.help != GitError.help


def test_the_line_that_says_why() -> None:
    said = "remote: x\nerror: first\nfatal: second\nPlease make sure\n"
    assert telling_line(said) == "fatal: second"
    assert telling_line("No ED25519 host key is known\nfatal: Could not read from remote repository.\n\nPlease") == (
        "No ED25519 host key is known"
    )
    assert telling_line("") == ""
    assert str(fault(b"", 3, "fetch")) == "git fetch: exit code 3"
    assert "\x1b" not in str(fault(b"fatal: \x1b[31mred", 128, "fetch"))
    assert len(str(fault(b"x" * 100_000, 128, "fetch"))) < 500
