"""What a hostile repository, or a hostile environment, tries on Git: nothing of it runs, nothing leaves the tree."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from sgfleet.agent.mirror import Mirror
from sgfleet.agent.remote import RemoteSettings
from sgfleet.agent.trust import Refused, Signers, verify
from sgfleet.source.git import IsolatedGit
from sgfleet.source.git_faults import GitError, RefusedObjectError
from sgfleet.source.git_objects import GitObjects
from sgfleet.source.git_tree import GitTree
from sgfleet.source.problems import SourceError

if TYPE_CHECKING:
    from pathlib import Path

    from support.git_origin import Origin
    from support.signing import SshSigner


class Trap:
    """A program that leaves a mark when it runs."""

    def __init__(self, folder: Path) -> None:
        self.mark = folder / "it-ran"
        self.program = folder / "trap"
        self.program.write_text(f"#!/bin/sh\ntouch {self.mark}\n")
        self.program.chmod(0o755)

    @property
    def was_sprung(self) -> bool:
        return self.mark.exists()


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path)


def tree_of(mirror: Mirror, commit: str) -> GitTree:
    return GitTree(GitObjects(mirror.git), commit)


def test_the_trap_works(trap: Trap) -> None:
    os.system(trap.program)
    assert trap.was_sprung


def test_hooks_are_not_run(origin: Origin, mirror: Mirror, trap: Trap) -> None:
    mirror.fetch(origin.commit({"a": "a"}))
    hooks = mirror.folder / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("reference-transaction", "post-checkout", "pre-auto-gc", "post-rewrite", "update", "post-update"):
        (hooks / name).symlink_to(trap.program)
    mirror.fetch(origin.commit({"a": "b"}))
    assert not trap.was_sprung


def test_filters_and_drivers_are_not_run(
    origin: Origin, mirror: Mirror, trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Attributes name drivers that the user's own configuration has: it is not read."""
    home = tmp_path / "home"
    home.mkdir()
    keys = {
        '[filter "x"]': ("smudge", "clean", "process"),
        '[diff "x"]': ("textconv", "command"),
        "[core]": ("fsmonitor", "sshCommand", "pager", "gitProxy"),
        "[gpg]": ("program",),
        '[gpg "ssh"]': ("program",),
        "[uploadpack]": ("packObjectsHook",),
    }
    rows = [f'[credential]\n\thelper = !{trap.program}\n[url "ext::{trap.program} "]\n\tinsteadOf = file://\n']
    rows += [f"{section}\n" + "".join(f"\t{key} = {trap.program}\n" for key in some) for section, some in keys.items()]
    (home / ".gitconfig").write_text("".join(rows))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    first = origin.commit({".gitattributes": "* filter=x diff=x merge=x\n", "fleet.yaml": "a"})
    mirror.fetch(first)
    second = origin.commit({".gitattributes": "* filter=x diff=x merge=x\n", "fleet.yaml": "b"})
    mirror.fetch(second)
    assert tree_of(mirror, second).read("fleet.yaml") == b"b"
    assert mirror.commits_between(first, second) == (second,)
    mirror.describe(second)
    assert isinstance(verify(mirror, None, second, Signers(gpg_home=home)), Refused)
    assert not trap.was_sprung


def test_the_environment_has_no_say(
    origin: Origin, mirror: Mirror, trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hook's GIT_DIR, somebody's proxies, programs and configuration."""
    head = origin.commit({"a": "a"})
    for name in ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND",
                 "GIT_PAGER", "PAGER", "GIT_EDITOR", "GIT_ALTERNATE_OBJECT_DIRECTORIES"):  # fmt: skip
        monkeypatch.setenv(name, str(trap.program))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "url.ext::false.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "file://")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.fsmonitor'='x'")
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    monkeypatch.setenv("https_proxy", "http://localhost:1")
    assert mirror.remote_head() == head
    mirror.fetch(head)
    assert not trap.was_sprung
    assert not (tmp_path / "trace").exists()


def test_submodules_are_not_followed(origin: Origin, mirror: Mirror, trap: Trap) -> None:
    modules = f'[submodule "x"]\n\tpath = x\n\turl = ext::{trap.program}\n\tupdate = !{trap.program}\n'
    rows = f"100644 blob {origin.blob(modules.encode())}\t.gitmodules\n160000 commit {'1' * 40}\tx\n"
    head = origin.commit(origin.git("mktree", "--missing", stdin=rows.encode()))
    with pytest.raises(RefusedObjectError, match=r"gitmodules"):
        mirror.fetch(head)
    calm = origin.commit(origin.git("mktree", "--missing", stdin=rows.splitlines()[1].encode()))
    origin.point(origin.commit(origin.git("rev-parse", f"{calm}^{{tree}}"), []))
    head = mirror.remote_head()
    mirror.fetch(head)
    assert tree_of(mirror, head).entries("x") == ()
    assert not trap.was_sprung


def raw_tree(origin: Origin, *entries: tuple[str, bytes, str]) -> str:
    """A tree with exactly these entries (mode, name, id), whatever Git thinks of it."""
    data = b"".join(mode.encode() + b" " + name + b"\0" + bytes.fromhex(object_id) for mode, name, object_id in entries)
    return origin.git("hash-object", "-t", "tree", "-w", "--stdin", "--literally", stdin=data)


@pytest.mark.parametrize("name", [b".git", b".GIT", b"..", b".", b"a/b", b"git~1", b".g\xe2\x80\x8cit"])
def test_names_that_no_tree_has(origin: Origin, mirror: Mirror, name: bytes) -> None:
    inside = origin.tree({"config": "[core]\n"})
    head = origin.commit(raw_tree(origin, ("40000", name, inside)))
    with pytest.raises(RefusedObjectError):
        mirror.fetch(head)
    assert not mirror.holds(head)


def test_the_same_name_twice(origin: Origin, mirror: Mirror) -> None:
    rows = tuple(("100644", b"fleet.yaml", origin.blob(text)) for text in (b"a", b"b"))
    with pytest.raises(RefusedObjectError):
        mirror.fetch(origin.commit(raw_tree(origin, *rows)))


def test_a_link_in_the_place_of_a_file_that_git_reads(origin: Origin, mirror: Mirror) -> None:
    for name in (b".gitmodules",):
        head = origin.commit(raw_tree(origin, ("120000", name, origin.blob(b"/etc/passwd"))))
        with pytest.raises(RefusedObjectError):
            mirror.fetch(head)


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../etc/passwd", "fleet.yaml"])
def test_links_are_not_followed(origin: Origin, mirror: Mirror, target: str) -> None:
    files = {"fleet.yaml": "a", "hosts/h/host.yaml": target}
    head = origin.commit(origin.tree(files, {"hosts/h/host.yaml": "120000"}))
    mirror.fetch(head)
    with pytest.raises(SourceError):
        tree_of(mirror, head).read("hosts/h/host.yaml")


def test_names_that_look_like_options(origin: Origin, mirror: Mirror, trap: Trap) -> None:
    files = {"-rf": "a", "--upload-pack=touch x/-n": "b", "units/-h/--.service": "c", "a\nb": "d"}
    first = origin.commit(origin.tree(files))
    origin.git("update-ref", f"refs/heads/--upload-pack={trap.program}", first)
    origin.git("update-ref", "refs/heads/-main", first)
    assert mirror.remote_head() == first
    mirror.fetch(first)
    for path, text in files.items():
        assert tree_of(mirror, first).read(path) == text.encode()
    assert not trap.was_sprung


def test_replaced_objects_and_notes_are_not_fetched(origin: Origin, mirror: Mirror) -> None:
    real, other = origin.commit({"a": "real"}), origin.commit({"a": "other"}, [])
    origin.git("update-ref", f"refs/replace/{real}", other)
    mirror.fetch(real)
    mirror.fetch(other)
    mirror.git("update-ref", f"refs/replace/{real}", other)
    assert tree_of(mirror, real).read("a") == b"real"


def test_a_file_that_is_small_on_the_way_and_huge_here(origin: Origin, mirror: Mirror) -> None:
    head = origin.commit({"fleet.yaml": b"\0" * (64 * 2**20), "small": "a"})
    mirror.fetch(head)
    with pytest.raises(SourceError):
        tree_of(mirror, head).read("fleet.yaml")
    assert tree_of(mirror, head).read("small") == b"a"


def test_a_signature_program_of_the_repository_is_not_asked(
    origin: Origin, mirror: Mirror, trap: Trap, ann: SshSigner, tmp_path: Path
) -> None:
    head = origin.commit({"a": "a"}, signer=ann)
    mirror.fetch(head)
    with (mirror.folder / "config").open("a") as config:
        config.write(f'[gpg "ssh"]\n\tprogram = {trap.program}\n\tallowedSignersFile = {tmp_path}/mine\n')
    (tmp_path / "mine").write_text(ann.allowed())
    (tmp_path / "theirs").write_text("")
    answer = verify(mirror, None, head, Signers(allowed_signers=tmp_path / "theirs"))
    assert isinstance(answer, Refused)
    assert not trap.was_sprung


@pytest.mark.parametrize(
    "url", ["ext::sh -c true", "http://127.0.0.1:1/x", "git://127.0.0.1:1/x", "fd::3", "file:///x"]
)
def test_without_a_transport_there_is_no_way_out(mirror: Mirror, origin: Origin, url: str) -> None:
    mirror.fetch(origin.commit({"a": "a"}))
    with pytest.raises(GitError, match="not allowed"):
        mirror.git("fetch", "--end-of-options", url)
    only_https = IsolatedGit(mirror.folder, {"protocol.https.allow": "always"}, {}, ("https",))
    with pytest.raises(GitError, match="not allowed"):
        only_https("fetch", "--end-of-options", url)


def test_a_repository_of_another_user(origin: Origin, mirror: Mirror) -> None:
    if os.getuid() != 0:
        pytest.skip("only root gives files away")
    origin.commit({"a": "a"})
    for folder, _, files in os.walk(origin.path):
        for name in (".", *files):
            os.chown(os.path.join(folder, name), 12345, 12345)  # noqa: PTH118
    with pytest.raises(GitError) as caught:
        Mirror(mirror.folder, RemoteSettings(str(origin.path))).remote_head()
    assert caught.value.kind == "ownership"
