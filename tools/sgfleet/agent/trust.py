"""Whether a commit may be applied: who signed it and everything before it, back to what was verified last.

Exit codes of `git verify-commit` decide, its words never do. What the repository says about itself is not asked: the
signers, the anchor and the mode are the host's own settings.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.agent.mirror import MOST_COMMITS, TooManyCommitsError, UnrelatedError
from sgfleet.agent.reason import Reason
from sgfleet.source.git_faults import GitError, telling_line

if TYPE_CHECKING:
    from pathlib import Path

    from sgfleet.agent.mirror import Mirror
    from sgfleet.source.git import IsolatedGit

AT_ONCE: Final = 50
"""Commits that one `git verify-commit` is given."""
SECONDS_EACH: Final = 2.0
CLOCK_SLACK_SECONDS: Final = 24 * 3600
"""How far the clocks of the people who commit, and of this host, may be apart."""


class Mode(Enum):
    """Whether signatures count. NONE has to be asked for by name."""

    SIGNED = "signed"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Signers:
    """Whom the host trusts. `gpg_home` is a folder of its own, in which the keys' owners are trusted fully.

    `anchor`: a commit that the branch must contain. It also stands for the last verified one where it is younger: so a
    person takes a host past a branch that was rewritten on purpose, or past a very long step.
    """

    mode: Mode = Mode.SIGNED
    allowed_signers: Path | None = None
    gpg_home: Path | None = None
    anchor: str | None = None
    most_commits: int = MOST_COMMITS


class Trusted(NamedTuple):
    """`commits`: what was looked at now, ancestors first. `signed` is False in the mode that checks no signatures."""

    head: str
    commits: tuple[str, ...]
    signed: bool


class Refused(NamedTuple):
    """`commit` is the one to blame."""

    reason: Reason
    commit: str


HELP: Final = {
    "unsigned": "sign it: git config commit.gpgsign true, and commit again on top of a `git revert`",
    "signer": "let an allowed signer sign it, or add the signer to the host's own list",
    "not-descendant": "put the branch back and undo with `git revert`; if the new history is meant, "
    "make its newest commit the anchor in agent.toml",
    "too-many-commits": "look at the branch, then make a newer commit that you trust the anchor in agent.toml",
    "anchor": "put the branch back, or correct the anchor in agent.toml",
    "backdated": "correct the clock of whoever committed; if the commit is meant, make it the anchor in agent.toml",
    "future": "correct this host's clock, or that of whoever committed",
    "signers": "see the trust settings in agent.toml",
}
"""By the code of a reason to refuse."""


def verify(
    mirror: Mirror, last_verified: str | None, head: str, signers: Signers, now_seconds: float | None = None
) -> Trusted | Refused:
    """Decide over `head`, which the mirror has fetched, against the commit that was verified last, if there is one.

    Raises:
        GitError: it could not be found out (network, disk, a missing program); then nothing is trusted either.
    """
    unusable = _unusable(signers)
    if unusable is not None:
        return _refused("signers", head, unusable)
    since = _since(mirror, last_verified, head, signers)
    if isinstance(since, Refused):
        return since
    now = time.time() if now_seconds is None else now_seconds
    wrong = _dates(mirror, since, head, now)
    if wrong is None and signers.mode is Mode.SIGNED:
        wrong = _signatures(_checking(mirror.git, signers), since.commits)
    return wrong or Trusted(head, since.commits, signed=signers.mode is Mode.SIGNED)


class _Since(NamedTuple):
    """`commits` are to be signed: all after `start`; only the head where there is no start."""

    start: str | None
    commits: tuple[str, ...]


def _since(mirror: Mirror, last_verified: str | None, head: str, signers: Signers) -> _Since | Refused:
    anchor, most = signers.anchor, signers.most_commits
    if last_verified is None:
        if anchor is not None:
            try:
                mirror.commits_between(anchor, head, most)
            except (UnrelatedError, TooManyCommitsError) as error:
                return _refused("anchor", head, f"the anchor cannot be found in the branch: {error}")
        return _Since(None, (head,))
    try:
        return _Since(last_verified, mirror.commits_between(last_verified, head, most))
    except (UnrelatedError, TooManyCommitsError) as error:
        refused = _refused(error.kind, head, str(error))
    if anchor is None or not _is_younger(mirror, anchor, last_verified, head):
        return refused
    try:
        return _Since(anchor, mirror.commits_between(anchor, head, most))
    except (UnrelatedError, TooManyCommitsError):
        return refused


def _is_younger(mirror: Mirror, anchor: str, last_verified: str, head: str) -> bool:
    """Whether the anchor was named after the last verified commit: an old one must not allow a way back.

    Where the remote no longer has the verified commit, only the head itself, named in full, can be meant.
    """
    if anchor == head and not mirror.holds(last_verified):
        return True
    if not (mirror.holds(anchor) and mirror.holds(last_verified)):
        return False
    return mirror.describe(anchor).committed_seconds > mirror.describe(last_verified).committed_seconds


def _dates(mirror: Mirror, since: _Since, head: str, now_seconds: float) -> Refused | None:
    """A signature is held against the date that the commit claims. So a key that is no longer valid could sign, with a
    date from when it was; unless what builds on a verified commit may not claim to be older than that.
    """
    dated = {head: mirror.describe(head).committed_seconds}
    earliest = 0.0
    if since.start is not None:
        dated = mirror.dates_on_the_way(since.start, head)
        earliest = mirror.describe(since.start).committed_seconds - CLOCK_SLACK_SECONDS
    for commit, seconds in dated.items():
        if seconds > now_seconds + CLOCK_SLACK_SECONDS:
            return _refused("future", commit, f"{commit[:12]} claims a date that is days ahead of this host's clock")
        if seconds < earliest:
            return _refused("backdated", commit, f"{commit[:12]} claims to be older than the commit that it builds on")
    return None


def _unusable(signers: Signers) -> str | None:
    """Why the signers cannot be asked. A list that others may write is nobody's list."""
    if signers.mode is Mode.NONE:
        return None
    if signers.allowed_signers is None and signers.gpg_home is None:
        return "commits must be signed, and no signer is named"
    for path, is_right in ((signers.allowed_signers, "is_file"), (signers.gpg_home, "is_dir")):
        if path is None:
            continue
        try:
            if not getattr(path, is_right)():
                return f"{path} is not there"
            if path.stat().st_mode & 0o022:
                return f"{path} can be written by other users"
        except OSError as error:
            return f"{path} cannot be looked at: {error.strerror}"
    return None


def _checking(git: IsolatedGit, signers: Signers) -> IsolatedGit:
    settings: dict[str, str] = {}
    variables: dict[str, str] = {}
    if signers.allowed_signers is not None:
        settings |= {"gpg.ssh.program": "ssh-keygen", "gpg.ssh.allowedSignersFile": str(signers.allowed_signers)}
    if signers.gpg_home is not None:
        settings |= {"gpg.program": "gpg", "gpg.openpgp.program": "gpg"}
        variables["GNUPGHOME"] = str(signers.gpg_home)
    return replace(git, settings=settings, variables=variables)


def _signatures(git: IsolatedGit, commits: tuple[str, ...]) -> Refused | None:
    """The first commit, ancestors first, that no allowed signer has signed."""
    for start in range(0, len(commits), AT_ONCE):
        some = commits[start : start + AT_ONCE]
        if _verified(git, *some):
            continue
        bad = next((commit for commit in some if not _verified(git, commit)), None)
        if bad is None:
            raise GitError(f"git verify-commit says yes to each commit and no to all from {some[0][:12]}")
        return _blamed(git, bad)
    return None


def _verified(git: IsolatedGit, *commits: str) -> bool:
    return git.run("verify-commit", *commits, timeout_seconds=30 + SECONDS_EACH * len(commits)).code == 0


def _blamed(git: IsolatedGit, commit: str) -> Refused:
    """Tell a person which it is: no signature at all, or one that does not count."""
    header = git("cat-file", "commit", commit).partition(b"\n\n")[0]
    if not any(line.startswith(b"gpgsig") for line in header.splitlines()):
        return _refused("unsigned", commit, f"{commit[:12]} is not signed")
    said = git.run("verify-commit", commit).errors.decode(errors="replace")
    heard = telling_line(said)
    return _refused("signer", commit, f"{commit[:12]} is not signed by an allowed signer" + (heard and f" ({heard})"))


def _refused(code: str, commit: str, text: str) -> Refused:
    return Refused(Reason(code, text, HELP[code]), commit)
