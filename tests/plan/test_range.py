"""What is compared with what, and what a person is told where there is nothing to compare with."""

from __future__ import annotations

import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest

from plan.repository import KIMI, Fleet, changes
from support.repository import git

if TYPE_CHECKING:
    from pathlib import Path

SUBJECT = "kimi-01/sglang-kimi"


def ratio(fleet: Fleet, old: str, new: str, message: str = "ratio") -> str:
    """A commit that changes one flag."""
    fleet.edit(KIMI, f"hicache-ratio: {old}", f"hicache-ratio: {new}")
    fleet.render()
    return fleet.commit(message)


def clone(fleet: Fleet, folder: Path, *options: str) -> Fleet:
    """A clone of the repository, as CI or a colleague has it."""
    git(fleet.root, "clone", "-q", *options, f"file://{fleet.root}", str(folder))
    return Fleet(folder, fleet._capsys)


@pytest.fixture
def branch(fleet: Fleet, tmp_path: Path) -> Fleet:
    """A clone on a branch with one commit, and main that went on with another host after it left."""
    there = clone(fleet, tmp_path / "clone")
    there.git("checkout", "-qb", "more-cache")
    ratio(there, "4.0", "3.0")
    fleet.edit("hosts/llama-70b-01/host.yaml", "enable-metrics: true", "enable-metrics: false")
    fleet.render()
    fleet.commit("main goes on")
    there.git("fetch", "-q")
    return there


def test_the_default_is_the_merge_base_with_the_upstream_of_main(branch: Fleet) -> None:
    plan = branch.data()
    assert changes(plan) == {SUBJECT: "restarted"}, "what main did meanwhile is not this branch's"
    assert plan["before"]["name"] == "merge base with origin/main"
    assert plan["after"] == {"name": "working tree", "commit": None}


def test_what_is_not_committed_counts_by_default(branch: Fleet) -> None:
    branch.edit("hosts/mixed-01/host.yaml", "port: 30100", "port: 30101")
    assert set(changes(branch.data())) == {SUBJECT, "mixed-01/sglang-draft"}


def test_two_dots_compare_as_they_are_and_three_from_where_they_parted(branch: Fleet) -> None:
    assert set(changes(branch.data("origin/main..HEAD"))) == {SUBJECT, "llama-70b-01/sglang-llama"}
    assert set(changes(branch.data("origin/main...HEAD"))) == {SUBJECT}
    assert branch.data("origin/main...HEAD")["before"]["name"] == "merge base of origin/main and HEAD"


def test_after_main_was_merged_in_only_the_branch_is_left(branch: Fleet) -> None:
    branch.git("merge", "-q", "-m", "merge main", "origin/main")
    assert set(changes(branch.data())) == {SUBJECT}
    assert set(changes(branch.data("HEAD^2..HEAD"))) == {SUBJECT}
    assert set(changes(branch.data("HEAD^1..HEAD"))) == {"llama-70b-01/sglang-llama"}


def test_a_main_of_another_name_and_a_detached_head(branch: Fleet) -> None:
    branch.git("checkout", "-q", "--detach")
    branch.git("branch", "-qD", "main", "more-cache")
    assert set(changes(branch.data())) == {SUBJECT}


@pytest.mark.parametrize("text", ["nope", "nope..HEAD", "HEAD..nope", "--output=x", "HEAD:hosts", "a b", "HEAD\x1b[2J"])
def test_a_commit_that_is_not_there(fleet: Fleet, text: str) -> None:
    said = fleet.plan("--", text)
    assert (said.code, said.out) == (1, "")
    assert "error: there is no commit" in said.errors
    assert "\x1b" not in said.errors


def test_no_upstream_is_said_with_what_to_write_instead(fleet: Fleet) -> None:
    said = fleet.plan()
    assert said.code == 1
    assert "main has no upstream" in said.errors
    assert "`sgfleet plan HEAD`" in said.errors


@pytest.mark.parametrize("words", [(), ("HEAD",), ("HEAD~1..HEAD",)])
def test_a_repository_of_another_user_is_told_with_the_way_out_of_git(
    branch: Fleet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """As in a CI's container: Git refuses it, and `git init` would be the wrong advice."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    said = branch.plan(*words)
    assert said.code == 1
    assert said.errors.startswith(f"error: Git refuses {branch.root}: the repository belongs to another user\n")
    help_ = said.errors.partition("help: if you trust what is in it: ")[2].strip()
    subprocess.run(shlex.split(help_), check=True)
    assert branch.plan("HEAD~1..HEAD").code == 2


def test_no_commit_and_no_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = Fleet(tmp_path, capsys)
    empty.write("fleet.yaml", "policy: {}\n")
    assert "this is no Git repository" in empty.plan().errors
    empty.git("init", "-q", "-b", "main")
    assert "there is no commit yet" in empty.plan().errors
    empty.commit()
    said = empty.plan("HEAD")
    assert (said.code, said.errors) == (3, "nothing to plan: neither side has a host\n")


def test_a_shallow_clone_as_ci_has_it(branch: Fleet, fleet: Fleet, tmp_path: Path) -> None:
    branch.git("push", "-q", "origin", "more-cache")
    shallow = clone(fleet, tmp_path / "ci", "--depth=1", "--branch=more-cache")
    said = shallow.plan("origin/main..HEAD")
    assert said.code == 1
    assert "git fetch --depth=1 origin main:refs/remotes/origin/main" in said.errors
    shallow.git("fetch", "-q", "--depth=1", "origin", "main:refs/remotes/origin/main")
    assert SUBJECT in changes(shallow.data("origin/main..HEAD"))
    said = shallow.plan("origin/main...HEAD")
    assert "this clone is shallow" in said.errors
    assert "git fetch --unshallow" in said.errors
    said = shallow.plan("0" * 39 + "1")
    assert "git fetch --depth=1 origin 0000" in said.errors
    shallow.git("fetch", "-q", "--unshallow", "origin")
    assert set(changes(shallow.data("origin/main...HEAD"))) == {SUBJECT}


def test_histories_that_have_nothing_in_common(fleet: Fleet) -> None:
    fleet.git("checkout", "-q", "--orphan", "other")
    fleet.commit()
    assert "no commit in common" in fleet.plan("main...HEAD").errors
    assert fleet.plan("main..HEAD").code == 0


def test_a_call_that_makes_no_sense_is_no_change(fleet: Fleet) -> None:
    for words in (["--fromat", "json"], ["HEAD", "HEAD"], ["--format", "yaml"], ["--root", "/nowhere"]):
        assert fleet.plan(*words).code == 1, "2 says that something changes"


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_a_call_that_makes_no_sense_is_told_from_a_plan_that_cannot_be_applied(fleet: Fleet, form: str) -> None:
    """Both end with 1; only of the latter something stands on standard output."""
    for words in (["--fromat", "json"], ["HEAD", "HEAD"], ["nope"], [".."], ["a..b"], ["--root", "/nowhere"]):
        said = fleet.plan("--format", form, *words)
        assert (said.code, said.out) == (1, ""), words
        assert "error: " in said.errors
    fleet.edit(KIMI, "tp-size: 8", "tp-size: eight")
    said = fleet.plan("--format", form, "HEAD")
    assert said.code == 1
    assert said.out
    fleet.write(KIMI, "{")
    said = fleet.plan("--format", form, "HEAD")
    assert said.code == 1
    assert said.out


def test_nothing_is_written_and_no_file_of_the_checkout_is_read_between_commits(branch: Fleet) -> None:
    before = branch.data("HEAD~1..HEAD")
    for file in branch.root.glob("hosts/*/*"):
        file.write_text("not: what was committed\n")
    left = sorted(branch.root.rglob("*"))
    assert branch.data("HEAD~1..HEAD") == before
    assert sorted(branch.root.rglob("*")) == left


def test_a_sparse_checkout_takes_no_host_for_removed(fleet: Fleet) -> None:
    fleet.git("sparse-checkout", "set", "hosts/kimi-01", "units/kimi-01")
    fleet.edit(KIMI, "hicache-ratio: 4.0", "hicache-ratio: 3.0")
    assert set(changes(fleet.data("HEAD"))) == {SUBJECT}
    fleet.edit("fleet.yaml", "restart-sec: 30s", "restart-sec: 31s")
    said = fleet.plan("HEAD")
    assert said.code == 1
    assert "this checkout is sparse" in said.errors
    fleet.commit()
    assert len(changes(fleet.data("HEAD~1..HEAD"))) == 4


@pytest.mark.parametrize("text", ["", "  ", "..HEAD", "...HEAD", " ..HEAD", "..", "..."])
def test_an_end_that_an_unset_variable_left_empty_is_an_error(branch: Fleet, text: str) -> None:
    said = branch.plan(text)
    assert said.code == 1
    assert said.out == ""
    assert "has no base" in said.errors or "the range is empty" in said.errors
    assert "variable which is not set" in said.errors


def test_both_ends_the_same_are_said(fleet: Fleet) -> None:
    head = fleet.git("rev-parse", "HEAD")
    for text in ("HEAD..HEAD", "main..HEAD", "main...HEAD", "HEAD.."):
        said = fleet.plan("--format", "json", text)
        assert said.code == 0
        assert said.errors == f"note: both ends are the commit {head[:12]}: there is nothing to compare\n"
    assert fleet.plan("HEAD").errors == ""


@pytest.mark.parametrize("text", ["origin/..HEAD", "origin/a..b/..HEAD", "origin/~1..HEAD", "origin/a b..HEAD"])
def test_no_help_proposes_a_name_that_no_branch_can_have(
    branch: Fleet, fleet: Fleet, text: str, tmp_path: Path
) -> None:
    shallow = clone(fleet, tmp_path / "shallow", "--depth=1")
    for there in (branch, shallow):
        said = there.plan(text)
        assert said.code == 1
        assert "git fetch --depth=1" not in said.errors
    assert "git fetch --unshallow" in shallow.plan("HEAD~3..HEAD").errors
    assert "origin HEAD~3" not in shallow.plan("HEAD~3..HEAD").errors
    assert "origin gone:refs/remotes/origin/gone" in shallow.plan("origin/gone..HEAD").errors


def test_a_bare_repository(branch: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found from inside and by --root; without a working tree both ends are needed."""
    from sgfleet.cli.main import _guarded

    bare = clone(branch, tmp_path / "bare.git", "--bare")
    assert changes(bare.data("HEAD~1..HEAD")) == {SUBJECT: "restarted"}
    for words in ((), ("HEAD~1",), ("HEAD",)):
        said = bare.plan(*words)
        assert said.code == 1
        assert "has no working tree" in said.errors
        assert f"sgfleet plan {'HEAD~1' if words else 'BASE'}..HEAD" in said.errors
        assert "fatal" not in said.errors
    for folder in (bare.root, bare.root / "refs"):
        monkeypatch.chdir(folder)
        assert _guarded(["plan", "HEAD~1..HEAD"]) == 2
    inside = Fleet(branch.root / ".git", branch._capsys)
    assert "has no working tree" in inside.plan("HEAD~1").errors
    monkeypatch.chdir(tmp_path)
    assert _guarded(["plan", "HEAD~1..HEAD"]) == 1
    assert "no repository here" in branch._capsys.readouterr().err
