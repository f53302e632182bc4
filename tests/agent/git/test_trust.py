"""Whom a host trusts: every commit since the last verified one is signed by an allowed signer, or it is refused."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

import pytest

from sgfleet.agent.trust import CLOCK_SLACK_SECONDS, Mode, Refused, Signers, Trusted, verify
from sgfleet.source.git_faults import GitError
from support.git_origin import START_SECONDS
from support.signing import GpgSigner, keyring

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sgfleet.agent.mirror import Mirror
    from support.git_origin import Origin
    from support.signing import SshSigner

FILES = {"fleet.yaml": "a: 1\n"}


@pytest.fixture
def signers(tmp_path: Path, ann: SshSigner) -> Signers:
    return Signers(allowed_signers=allow(tmp_path, ann.allowed()))


@pytest.fixture(scope="module")
def gpg() -> Iterator[GpgSigner]:
    signer = GpgSigner.make("gina")
    yield signer
    signer.remove()


def allow(folder: Path, *lines: str) -> Path:
    path = folder / "allowed_signers"
    path.write_text("".join(lines))
    path.chmod(0o644)
    return path


def decide(mirror: Mirror, last: str | None, head: str, signers: Signers, **more: float) -> Trusted | Refused:
    mirror.fetch(head)
    return verify(mirror, last, head, signers, **more)


def refused(answer: Trusted | Refused) -> tuple[str, str]:
    assert isinstance(answer, Refused)
    assert answer.reason.text
    assert answer.reason.help
    return answer.reason.code, answer.commit


def test_a_signed_commit(origin: Origin, mirror: Mirror, signers: Signers, ann: SshSigner) -> None:
    first = origin.commit(FILES, signer=ann)
    assert decide(mirror, None, first, signers) == Trusted(first, (first,), signed=True)
    second = origin.commit(FILES, signer=ann)
    third = origin.commit(FILES, signer=ann)
    assert decide(mirror, first, third, signers) == Trusted(third, (second, third), signed=True)
    assert decide(mirror, third, third, signers) == Trusted(third, (), signed=True)


def test_an_unsigned_head(origin: Origin, mirror: Mirror, signers: Signers) -> None:
    head = origin.commit(FILES)
    assert refused(decide(mirror, None, head, signers)) == ("unsigned", head)


def test_an_unsigned_commit_between_signed_ones(
    origin: Origin, mirror: Mirror, signers: Signers, ann: SshSigner
) -> None:
    first = origin.commit(FILES, signer=ann)
    origin.commit(FILES, signer=ann)
    bad = origin.commit(FILES)
    head = origin.commit(FILES, signer=ann)
    assert refused(decide(mirror, first, head, signers)) == ("unsigned", bad)


def test_an_unsigned_commit_in_a_merged_branch(
    origin: Origin, mirror: Mirror, signers: Signers, ann: SshSigner
) -> None:
    base = origin.commit(FILES, signer=ann)
    first = origin.commit(FILES, signer=ann)
    mirror.fetch(first)
    side = origin.commit({"x": "y"}, [base], branch=None)
    merge = origin.commit(FILES, [first, side], ann)
    assert refused(decide(mirror, first, merge, signers)) == ("unsigned", side)


def test_an_unsigned_head_that_was_taken_away(origin: Origin, mirror: Mirror, signers: Signers, ann: SshSigner) -> None:
    first = origin.commit(FILES, signer=ann)
    bad = origin.commit(FILES)
    assert refused(decide(mirror, first, bad, signers)) == ("unsigned", bad)
    good = origin.commit(FILES, [first], ann)
    assert decide(mirror, first, good, signers) == Trusted(good, (good,), signed=True)


def test_a_stranger(origin: Origin, mirror: Mirror, signers: Signers, ann: SshSigner, stranger: SshSigner) -> None:
    first = origin.commit(FILES, signer=ann)
    bad = origin.commit(FILES, signer=stranger)
    head = origin.commit(FILES, signer=ann)
    assert refused(decide(mirror, first, head, signers)) == ("signer", bad)


def test_a_signature_of_something_else(origin: Origin, mirror: Mirror, signers: Signers, ann: SshSigner) -> None:
    """The signature of one commit over the content of another."""
    good = origin.commit(FILES, signer=ann)
    text = origin.git("cat-file", "commit", good).replace("a change", "another change")
    forged = origin.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=f"{text}\n".encode())
    origin.point(forged)
    assert refused(decide(mirror, None, forged, signers)) == ("signer", forged)


@pytest.mark.parametrize("options", ['namespaces="file"', 'namespaces="mail,ssh"'])
def test_a_key_for_another_purpose(
    origin: Origin, mirror: Mirror, tmp_path: Path, ann: SshSigner, options: str
) -> None:
    head = origin.commit(FILES, signer=ann)
    signers = Signers(allowed_signers=allow(tmp_path, ann.allowed(options)))
    assert refused(decide(mirror, None, head, signers)) == ("signer", head)


def stamp(seconds: int) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y%m%d%H%M%SZ")


class TestValidity:
    """A key that counts until a day, held against the date that a commit claims."""

    @pytest.fixture
    def ending(self, tmp_path: Path, ann: SshSigner, stranger: SshSigner) -> Signers:
        until = stamp(START_SECONDS + 30 * 86400)
        lines = (ann.allowed(f'namespaces="git",valid-before="{until}"'), stranger.allowed())
        return Signers(allowed_signers=allow(tmp_path, *lines))

    def test_while_it_counts(self, origin: Origin, mirror: Mirror, ending: Signers, ann: SshSigner) -> None:
        assert isinstance(decide(mirror, None, origin.commit(FILES, signer=ann), ending), Trusted)

    def test_afterwards(self, origin: Origin, mirror: Mirror, ending: Signers, ann: SshSigner) -> None:
        head = origin.commit(FILES, signer=ann, seconds=START_SECONDS + 40 * 86400)
        assert refused(decide(mirror, None, head, ending)) == ("signer", head)

    def test_dated_back(
        self, origin: Origin, mirror: Mirror, ending: Signers, ann: SshSigner, stranger: SshSigner
    ) -> None:
        """A stolen key that no longer counts signs with an old date, and an allowed signer builds on it unawares."""
        verified = origin.commit(FILES, signer=stranger, seconds=START_SECONDS + 50 * 86400)
        stolen = origin.commit(FILES, signer=ann, seconds=START_SECONDS + 86400)
        assert refused(decide(mirror, verified, stolen, ending)) == ("backdated", stolen)
        head = origin.commit(FILES, signer=stranger, seconds=START_SECONDS + 51 * 86400)
        assert refused(decide(mirror, verified, head, ending)) == ("backdated", stolen)
        beyond = Signers(allowed_signers=ending.allowed_signers, anchor=head)
        assert isinstance(decide(mirror, verified, head, beyond), Refused)  # an anchor waives no date

    def test_an_old_branch_is_no_cheat(
        self, origin: Origin, mirror: Mirror, ending: Signers, ann: SshSigner, stranger: SshSigner
    ) -> None:
        """It was made while the key counted, and whoever merges it vouches for it."""
        base = origin.commit(FILES, signer=ann)
        side = origin.commit({"x": "y"}, [base], ann, branch=None)
        verified = origin.commit(FILES, [base], stranger, seconds=START_SECONDS + 50 * 86400)
        merge = origin.commit(FILES, [verified, side], stranger, seconds=START_SECONDS + 51 * 86400)
        answer = decide(mirror, verified, merge, ending)
        assert isinstance(answer, Trusted)
        assert set(answer.commits) == {side, merge}


def test_a_date_in_the_future(origin: Origin, mirror: Mirror, signers: Signers, ann: SshSigner) -> None:
    head = origin.commit(FILES, signer=ann)
    assert isinstance(decide(mirror, None, head, signers, now_seconds=origin.seconds - 60), Trusted)
    late = decide(mirror, None, head, signers, now_seconds=origin.seconds - CLOCK_SLACK_SECONDS - 60)
    assert refused(late) == ("future", head)


def test_gpg(origin: Origin, mirror: Mirror, tmp_path: Path, gpg: GpgSigner) -> None:
    first = origin.commit(FILES, signer=gpg)
    head = origin.commit(FILES, signer=gpg)
    signers = Signers(gpg_home=keyring(tmp_path / "gnupg", gpg))
    assert decide(mirror, first, head, signers) == Trusted(head, (head,), signed=True)


def test_a_gpg_key_in_the_keyring_that_nobody_trusts(
    origin: Origin, mirror: Mirror, tmp_path: Path, gpg: GpgSigner
) -> None:
    head = origin.commit(FILES, signer=gpg)
    signers = Signers(gpg_home=keyring(tmp_path / "gnupg", gpg, trusted=False))
    assert refused(decide(mirror, None, head, signers)) == ("signer", head)


def test_a_gpg_key_that_is_not_in_the_keyring(origin: Origin, mirror: Mirror, tmp_path: Path, gpg: GpgSigner) -> None:
    head = origin.commit(FILES, signer=gpg)
    signers = Signers(gpg_home=keyring(tmp_path / "gnupg"))
    assert refused(decide(mirror, None, head, signers)) == ("signer", head)


def test_a_gpg_key_that_has_expired(origin: Origin, mirror: Mirror, tmp_path: Path) -> None:
    signer = GpgSigner.make("eve", expires="1d", at_seconds=START_SECONDS)
    try:
        head = origin.commit(FILES, signer=signer)
        signers = Signers(gpg_home=keyring(tmp_path / "gnupg", signer))
        assert refused(decide(mirror, None, head, signers)) == ("signer", head)
    finally:
        signer.remove()


def test_each_kind_counts_only_where_it_is_named(
    origin: Origin, mirror: Mirror, tmp_path: Path, ann: SshSigner, gpg: GpgSigner
) -> None:
    with_ssh = origin.commit(FILES, signer=ann)
    with_gpg = origin.commit(FILES, signer=gpg)
    allowed, home = allow(tmp_path, ann.allowed()), keyring(tmp_path / "gnupg", gpg)
    assert refused(decide(mirror, None, with_gpg, Signers(allowed_signers=allowed))) == ("signer", with_gpg)
    assert refused(decide(mirror, None, with_ssh, Signers(gpg_home=home))) == ("signer", with_ssh)
    both = Signers(allowed_signers=allowed, gpg_home=home)
    assert isinstance(decide(mirror, with_ssh, with_gpg, both), Trusted)


def test_a_force_push(origin: Origin, mirror: Mirror, signers: Signers, ann: SshSigner) -> None:
    first = origin.commit(FILES, signer=ann)
    second = origin.commit(FILES, signer=ann)
    mirror.fetch(second)
    forced = origin.commit({"x": "y"}, [first], ann)
    assert refused(decide(mirror, second, forced, signers)) == ("not-descendant", forced)
    assert refused(decide(mirror, second, first, signers)) == ("not-descendant", first)


def test_a_force_push_where_the_state_was_lost(
    origin: Origin, mirror: Mirror, signers: Signers, ann: SshSigner
) -> None:
    first = origin.commit(FILES, signer=ann)
    second = origin.commit(FILES, signer=ann)
    forced = origin.commit({"x": "y"}, [first], ann)
    origin.git("reflog", "expire", "--expire=now", "--all")
    origin.git("repack", "-a", "-d", "-q")
    origin.git("prune", "--expire=now")
    assert refused(decide(mirror, second, forced, signers)) == ("not-descendant", forced)


def test_an_anchor_must_be_in_the_branch(origin: Origin, mirror: Mirror, signers: Signers, ann: SshSigner) -> None:
    anchor = origin.commit(FILES)
    head = origin.commit(FILES, signer=ann)
    elsewhere = origin.commit(FILES, [], ann, branch="elsewhere")
    for commit, expected in ((anchor, True), (head, True), (elsewhere, False), ("1" * 40, False)):
        answer = decide(mirror, None, head, Signers(allowed_signers=signers.allowed_signers, anchor=commit))
        assert isinstance(answer, Trusted) is expected
        if not expected:
            assert refused(answer) == ("anchor", head)


def test_a_person_takes_a_host_past_a_rewritten_branch(
    origin: Origin, mirror: Mirror, signers: Signers, ann: SshSigner
) -> None:
    first = origin.commit(FILES, signer=ann)
    verified = origin.commit(FILES, signer=ann)
    mirror.fetch(verified)
    rewritten = origin.commit({"x": "y"}, [first], ann)
    head = origin.commit({"x": "z"}, signer=ann)
    named = Signers(allowed_signers=signers.allowed_signers, anchor=rewritten)
    assert decide(mirror, verified, head, named) == Trusted(head, (head,), signed=True)


def test_an_old_anchor_allows_no_way_back(origin: Origin, mirror: Mirror, signers: Signers, ann: SshSigner) -> None:
    anchor = origin.commit(FILES, signer=ann)
    older = origin.commit(FILES, signer=ann)
    verified = origin.commit(FILES, signer=ann)
    mirror.fetch(verified)
    named = Signers(allowed_signers=signers.allowed_signers, anchor=anchor)
    assert refused(decide(mirror, verified, older, named)) == ("not-descendant", older)


def test_two_hundred_commits(origin: Origin, mirror: Mirror, signers: Signers, ann: SshSigner) -> None:
    first = head = origin.commit(FILES, signer=ann)
    tree = origin.tree(FILES)
    for number in range(200):
        head = origin.commit(tree, [head], ann, message=str(number))
    answer = decide(mirror, first, head, signers)
    assert isinstance(answer, Trusted)
    assert len(answer.commits) == 200


def test_more_commits_than_are_looked_at(origin: Origin, mirror: Mirror, signers: Signers, ann: SshSigner) -> None:
    first = origin.commit(FILES, signer=ann)
    mirror.fetch(first)
    origin.long_history(10_000)
    near = origin.git("rev-parse", "main")
    head = origin.commit(FILES, signer=ann)
    assert refused(decide(mirror, first, head, signers)) == ("too-many-commits", head)
    named = Signers(allowed_signers=signers.allowed_signers, anchor=near)
    assert decide(mirror, first, head, named) == Trusted(head, (head,), signed=True)


def test_without_signatures_history_still_counts(origin: Origin, mirror: Mirror) -> None:
    none = Signers(mode=Mode.NONE)
    first = origin.commit(FILES)
    second = origin.commit(FILES)
    assert decide(mirror, first, second, none) == Trusted(second, (second,), signed=False)
    forced = origin.commit({"x": "y"}, [first])
    assert refused(decide(mirror, second, forced, none)) == ("not-descendant", forced)


def test_signers_that_cannot_be_asked(origin: Origin, mirror: Mirror, tmp_path: Path, ann: SshSigner) -> None:
    head = origin.commit(FILES, signer=ann)
    writable = allow(tmp_path, ann.allowed())
    writable.chmod(0o666)
    for signers in (
        Signers(),
        Signers(allowed_signers=tmp_path / "missing"),
        Signers(allowed_signers=tmp_path),
        Signers(allowed_signers=writable),
        Signers(gpg_home=tmp_path / "missing"),
    ):
        assert refused(decide(mirror, None, head, signers)) == ("signers", head)


@pytest.mark.parametrize("text", ["", "nonsense\n", "* ssh-ed25519 AAAA\n", "# only a comment\n", "\0\xff"])
def test_a_list_of_signers_that_says_nothing(
    origin: Origin, mirror: Mirror, tmp_path: Path, ann: SshSigner, text: str
) -> None:
    head = origin.commit(FILES, signer=ann)
    signers = Signers(allowed_signers=allow(tmp_path, text))
    assert refused(decide(mirror, None, head, signers)) == ("signer", head)


def test_without_the_program_nothing_is_trusted(
    origin: Origin, mirror: Mirror, signers: Signers, ann: SshSigner, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = origin.commit(FILES, signer=ann)
    mirror.fetch(head)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(GitError):
        verify(mirror, None, head, signers)
