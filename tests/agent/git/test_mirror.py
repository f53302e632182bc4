"""The mirror: what it brings, how far down it looks, and how it gets over damage."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from sgfleet.agent.mirror import STEP, Mirror, TooManyCommitsError, UnrelatedError
from sgfleet.agent.remote import RemoteSettings
from sgfleet.source.git_faults import (
    GitError,
    NoSpaceError,
    NotWritableError,
    RefMissingError,
    RefusedObjectError,
    RepositoryMissingError,
    TooLargeError,
)
from sgfleet.source.git_objects import GitObjects
from sgfleet.source.git_tree import GitTree
from support.git_origin import Origin
from support.small_disk import small_disk

if TYPE_CHECKING:
    from pathlib import Path


def commits(mirror: Mirror) -> int:
    return len(mirror.git("rev-list", "--all").split())


def content(mirror: Mirror, commit: str, path: str = "fleet.yaml") -> bytes:
    return GitTree(GitObjects(mirror.git), commit).read(path)


def snapshot(folder: Path) -> list[tuple[str, int, int]]:
    return sorted((str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in folder.rglob("*"))


def test_a_quiet_look_writes_nothing(origin: Origin, mirror: Mirror, tmp_path: Path) -> None:
    head = origin.commit({"fleet.yaml": "a: 1\n"})
    assert mirror.remote_head() == head
    assert not mirror.folder.parent.exists()
    mirror.fetch(head)
    before = snapshot(tmp_path)
    assert mirror.remote_head() == head
    assert snapshot(tmp_path) == before


def test_the_branch_is_told_from_others_that_end_alike(origin: Origin, mirror: Mirror) -> None:
    other = origin.commit({"fleet.yaml": "other"}, branch="x/refs/heads/main")
    origin.git("update-ref", "refs/z/refs/heads/main", other)
    with pytest.raises(RefMissingError):
        mirror.remote_head()
    head = origin.commit({"fleet.yaml": "a: 1\n"})
    assert mirror.remote_head() == head


def test_fetch_brings_the_tree(origin: Origin, mirror: Mirror) -> None:
    head = origin.commit({"fleet.yaml": "a: 1\n", "hosts/h/host.yaml": "host: h\n"})
    mirror.fetch(head)
    assert content(mirror, head) == b"a: 1\n"
    assert content(mirror, head, "hosts/h/host.yaml") == b"host: h\n"
    assert mirror.folder.stat().st_mode & 0o077 == 0


def test_a_long_history_costs_nothing_extra(origin: Origin, mirror: Mirror) -> None:
    first = origin.long_history(10_000)
    mirror.fetch(first)
    assert commits(mirror) == 1
    second = origin.commit({"fleet.yaml": "a: 2\n"})
    mirror.fetch(second)
    assert commits(mirror) <= STEP
    assert mirror.commits_between(first, second) == (second,)
    assert commits(mirror) <= STEP
    packs = [path.stat().st_size for path in (mirror.folder / "objects" / "pack").glob("*.pack")]
    assert sum(packs) < 32 * 1024


def test_what_is_there_is_not_fetched_again(origin: Origin, mirror: Mirror) -> None:
    head = origin.commit({"fleet.yaml": "a: 1\n"})
    mirror.fetch(head)
    origin.path.rename(origin.path.with_name("gone"))
    mirror.fetch(head)
    assert mirror.commits_between(head, head) == ()
    with pytest.raises(RepositoryMissingError):
        mirror.remote_head()


def test_a_branch_that_began_long_ago_is_followed(origin: Origin, mirror: Mirror) -> None:
    """The usual pull request: it began before the last verified commit, and is merged after it."""
    origin.long_history(2000)
    base = origin.git("rev-parse", "main~300")
    verified = origin.commit({"fleet.yaml": "v"})
    mirror.fetch(verified)
    side = origin.commit({"fleet.yaml": "s"}, [base], branch=None)
    side = origin.commit({"fleet.yaml": "t"}, [side], branch=None)
    merge = origin.commit({"fleet.yaml": "m"}, [verified, side])
    mirror.fetch(merge)
    between = mirror.commits_between(verified, merge)
    assert set(between) == set(origin.git("rev-list", merge, f"^{verified}").split())
    assert between[-1] == merge
    assert len(between) == 3
    assert commits(mirror) < 1500  # not the whole history


def test_bounded_where_the_way_is_long(origin: Origin, mirror: Mirror) -> None:
    last = origin.long_history(3000)
    first = origin.git("rev-parse", "main~2000")
    origin.point(origin.commit({"fleet.yaml": "b"}, [last]))
    head = mirror.remote_head()
    mirror.fetch(head)
    with pytest.raises(TooManyCommitsError):
        mirror.commits_between(first, head, most=500)
    assert commits(mirror) < 2500
    assert mirror.is_descendant(last, head)


def test_a_force_push_is_seen(origin: Origin, mirror: Mirror) -> None:
    origin.long_history(300)
    verified = origin.commit({"fleet.yaml": "v"})
    mirror.fetch(verified)
    forced = origin.commit({"fleet.yaml": "f"}, [f"{verified}~1"])
    mirror.fetch(forced)
    with pytest.raises(UnrelatedError):
        mirror.commits_between(verified, forced)
    older = origin.git("rev-parse", f"{verified}~200")
    mirror.fetch(older)
    assert not mirror.is_descendant(verified, older)
    assert mirror.is_descendant(older, verified)


@pytest.mark.parametrize("kept", [True, False])
def test_a_force_push_is_seen_by_a_new_mirror(origin: Origin, mirror: Mirror, kept: bool) -> None:
    """Also where the state was lost, and the remote has thrown the old commit away."""
    origin.long_history(120)
    base = origin.git("rev-parse", "main~100")
    verified = origin.git("rev-parse", "main")
    forced = origin.commit({"fleet.yaml": "f"}, [base])
    if not kept:
        origin.git("reflog", "expire", "--expire=now", "--all")
        origin.git("repack", "-a", "-d", "-q")
    mirror.fetch(forced)
    assert not mirror.is_descendant(verified, forced)


def test_a_rebuilt_mirror_finds_the_verified_commit(origin: Origin, mirror: Mirror) -> None:
    origin.long_history(400)
    verified = origin.git("rev-parse", "main~150")
    head = origin.git("rev-parse", "main")
    mirror.fetch(head)
    assert len(mirror.commits_between(verified, head)) == 150


def test_branch_gone(origin: Origin, mirror: Mirror) -> None:
    mirror.fetch(origin.commit({"fleet.yaml": "a"}))
    origin.git("update-ref", "-d", "refs/heads/main")
    with pytest.raises(RefMissingError, match="no branch main"):
        mirror.remote_head()


def test_a_commit_that_was_taken_away_before_it_was_fetched(origin: Origin, mirror: Mirror) -> None:
    with pytest.raises(RefMissingError):
        mirror.fetch("1" * 40)


@pytest.mark.parametrize("name", ["main", "HEAD", "--all", "", "deadbeef", "A" * 40, "1" * 40 + "\n", "^" + "1" * 39])
def test_only_full_ids_reach_git(origin: Origin, mirror: Mirror, name: str) -> None:
    origin.commit({"fleet.yaml": "a"})
    for call in (mirror.fetch, mirror.describe, mirror.holds, lambda each: mirror.commits_between(each, "1" * 40)):
        with pytest.raises(GitError):
            call(name)


def test_sha256(tmp_path: Path) -> None:
    origin = Origin(tmp_path / "fleet.git", "--object-format=sha256")
    mirror = Mirror(tmp_path / "mirror.git", RemoteSettings(str(origin.path)))
    old = origin.commit({"fleet.yaml": "a"})
    mirror.fetch(old)
    new = origin.commit({"fleet.yaml": "b"})
    mirror.fetch(new)
    assert len(new) == 64
    assert mirror.commits_between(old, new) == (new,)


def damage_pack(folder: Path) -> None:
    for pack in folder.glob("objects/pack/*.pack"):
        pack.chmod(0o600)
        data = bytearray(pack.read_bytes())
        for at in range(20, len(data) - 20, 7):
            data[at] ^= 0xFF
        pack.write_bytes(data)


def flip_one_bit(folder: Path) -> None:
    pack = next(folder.glob("objects/pack/*.pack"))
    pack.chmod(0o600)
    data = bytearray(pack.read_bytes())
    data[len(data) // 2] ^= 1
    pack.write_bytes(data)


def truncate_pack(folder: Path) -> None:
    for pack in folder.glob("objects/pack/*.pack"):
        os.truncate(pack, pack.stat().st_size // 2)


def empty(name: str):
    def act(folder: Path) -> None:
        (folder / name).write_bytes(b"")

    return act


def scrap(name: str):
    def act(folder: Path) -> None:
        (folder / name).write_bytes(b"\xff\xfe\x00nonsense\n")

    return act


def remove(pattern: str):
    def act(folder: Path) -> None:
        for path in folder.glob(pattern):
            path.unlink()

    return act


@pytest.mark.parametrize(
    "hurt",
    [
        damage_pack,
        flip_one_bit,
        truncate_pack,
        remove("objects/pack/*.idx"),
        remove("objects/pack/*.pack"),
        remove("HEAD"),
        remove("refs/agent/*"),
        remove("config"),
        empty("HEAD"),
        empty("config"),
        empty("shallow"),
        empty("refs/agent/fetched"),
        scrap("HEAD"),
        scrap("config"),
        scrap("shallow"),
        scrap("packed-refs"),
        scrap("refs/agent/fetched"),
    ],
    ids=lambda act: getattr(act, "__qualname__", ""),
)
def test_a_damaged_mirror_is_made_anew(origin: Origin, mirror: Mirror, hurt) -> None:
    origin.long_history(5)
    old = origin.git("rev-parse", "main")
    mirror.fetch(old)
    hurt(mirror.folder)
    mirror.fetch(old)
    assert content(mirror, old) == b"number: 4\n"
    hurt(mirror.folder)
    new = origin.commit({"fleet.yaml": "new\n"})
    mirror.fetch(new)
    assert content(mirror, new) == b"new\n"
    hurt(mirror.folder)
    assert mirror.commits_between(old, new) == (new,)


@pytest.mark.parametrize(
    "left", ["shallow.lock", "HEAD.lock", "config.lock", "packed-refs.lock", "refs/agent/fetched.lock",
             "objects/pack/tmp_pack_x", "shallow_x"],
)  # fmt: skip
def test_what_a_killed_git_left_does_not_stop_the_next(origin: Origin, mirror: Mirror, left: str) -> None:
    mirror.fetch(origin.commit({"fleet.yaml": "a"}))
    (mirror.folder / left).touch()
    new = origin.commit({"fleet.yaml": "b"})
    mirror.fetch(new)
    assert content(mirror, new) == b"b"
    assert not (mirror.folder / left).exists()


def test_many_fetches_leave_few_files(origin: Origin, mirror: Mirror) -> None:
    first = origin.commit({"fleet.yaml": "start"})
    mirror.fetch(first)
    for number in range(45):
        head = origin.commit({"fleet.yaml": f"{number}\n"})
        mirror.fetch(head)
    assert len(list(mirror.folder.rglob("*"))) < 120
    assert len(mirror.commits_between(first, head)) == 45


def test_a_fetch_is_bounded(origin: Origin, mirror: Mirror) -> None:
    head = origin.commit({"fleet.yaml": os.urandom(3 * 2**20)})
    small = Mirror(mirror.folder, RemoteSettings(str(origin.path), most_fetch_bytes=2**20))
    with pytest.raises(TooLargeError):
        small.fetch(head)
    size = sum(path.stat().st_size for path in mirror.folder.rglob("*") if path.is_file())
    assert size < 2 * 2**20


def test_a_mirror_that_has_grown_is_made_anew(origin: Origin, mirror: Mirror) -> None:
    small = Mirror(mirror.folder, RemoteSettings(str(origin.path), most_fetch_bytes=2**20))
    for number in range(5):
        head = origin.commit({"fleet.yaml": os.urandom(2**19), "number": str(number)})
        origin.point(origin.commit({"fleet.yaml": "small"}, [head]))
        small.fetch(head)
        origin.point(head)
    size = sum(path.stat().st_size for path in mirror.folder.rglob("*") if path.is_file())
    assert size < 2 * 2**20


def test_a_full_disk(origin: Origin, tmp_path: Path) -> None:
    head = origin.commit({"fleet.yaml": os.urandom(2**20)})
    with small_disk(tmp_path / "disk", 2**18) as disk:
        mirror = Mirror(disk / "mirror.git", RemoteSettings(str(origin.path)))
        with pytest.raises(NoSpaceError):
            mirror.fetch(head)


def test_a_read_only_disk(origin: Origin, tmp_path: Path) -> None:
    old = origin.commit({"fleet.yaml": "a"})
    with small_disk(tmp_path / "disk", 2**22) as disk:
        mirror = Mirror(disk / "mirror.git", RemoteSettings(str(origin.path)))
        mirror.fetch(old)
        new = origin.commit({"fleet.yaml": "b"})
        with disk.read_only():
            mirror.fetch(old)
            with pytest.raises(NotWritableError):
                mirror.fetch(new)
            with pytest.raises(NotWritableError):
                Mirror(disk / "other.git", RemoteSettings(str(origin.path))).fetch(old)
        mirror.fetch(new)


def test_a_branch_that_names_no_commit(origin: Origin, mirror: Mirror) -> None:
    blob = origin.blob(b"no commit")
    (origin.path / "refs" / "heads" / "main").write_text(f"{blob}\n")
    with pytest.raises(RefusedObjectError):
        mirror.fetch(mirror.remote_head())


def test_what_a_person_sees_of_a_commit(origin: Origin, mirror: Mirror) -> None:
    head = origin.commit({"a": "b"}, message="kimi: ratio 4 \x1b[31m" + "x" * 500 + "\n\nbody")
    mirror.fetch(head)
    shown = mirror.describe(head)
    assert shown.subject.startswith("kimi: ratio 4 ?[31mxxx")
    assert len(shown.subject) == 200
    assert shown.author == "Test Person"
    assert shown.committed_seconds == origin.seconds


@pytest.mark.parametrize("steps_back", [1, 2, 50, 149, 150, 151, 449])
def test_a_branch_that_was_set_back(origin: Origin, mirror: Mirror, steps_back: int) -> None:
    """Where the state was lost too: the history of the one is cut at about the depth where the other begins."""
    origin.long_history(600)
    verified = origin.git("rev-parse", "main")
    back = origin.git("rev-parse", f"main~{steps_back}")
    origin.point(back)
    mirror.fetch(back)
    assert not mirror.is_descendant(verified, back)
    assert mirror.is_descendant(back, verified)
