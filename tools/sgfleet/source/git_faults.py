"""What goes wrong with Git, as types: what it said is read here and nowhere else.

Git exits with 128 for almost everything, so its words decide. They are fixed by LC_ALL=C; each pattern has a test
against the real program. A kind decides what a person is told to do, never whether something is trusted.
"""

from __future__ import annotations

import re
from typing import ClassVar, Final

MOST_WORDS: Final = 400
"""Characters of what Git said that are passed on: a server chooses them."""


class GitError(Exception):
    """Git could not answer; the message is what it said, in one line."""

    kind: ClassVar[str] = "failed"
    help: ClassVar[str] = "run the same command by hand on the host"


class NotInstalledError(GitError):
    """There is no `git`, `ssh` or `gpg`."""

    kind = "not-installed"
    help = "install git (and openssh-client for ssh, gnupg for GPG signatures)"


class TimedOutError(GitError):
    """It took too long and was ended, with everything that it started."""

    kind = "timeout"
    help = "look at the network and the Git server; the time limits are in agent.toml"


class TooMuchOutputError(GitError):
    """It said more than was asked for and was ended."""

    kind = "too-much-output"
    help = "the repository holds more than an agent reads: look for huge files or very many paths"


class TooLargeError(GitError):
    """The remote sends more than one fetch may bring."""

    kind = "too-large"
    help = "take the large files out of the branch: a fetch is bounded"


class AuthError(GitError):
    """The remote does not know the credential, or wants one."""

    kind = "auth-failed"
    help = "renew the token or the deploy key, and see that it may read the repository"


class CredentialError(GitError):
    """The token, or the key, that the host's settings name cannot be used."""

    kind = "credential"
    help = "put the credential where agent.toml says, readable by the agent's user alone"


class HostKeyUnknownError(GitError):
    """The known hosts file has no key of the server."""

    kind = "host-key-unknown"
    help = "put the server's key, from a source that you trust, into the known hosts file of agent.toml"


class HostKeyChangedError(GitError):
    """The server shows another key than the known one: somebody may be in between."""

    kind = "host-key-changed"
    help = "find out why the key changed before you replace it in the known hosts file"


class CertificateError(GitError):
    """The server's TLS certificate is not good."""

    kind = "certificate"
    help = "name the authority that signed it as ca-file in agent.toml, or renew the certificate"


class RefMissingError(GitError):
    """The remote has no such branch or commit."""

    kind = "ref-missing"
    help = "restore the branch, or correct its name in agent.toml"


class RepositoryMissingError(GitError):
    """The server answers, and has no such repository (or hides it from this credential)."""

    kind = "repository-missing"
    help = "correct the URL in agent.toml; a server also says this where the credential may not read"


class RedirectedError(GitError):
    """The server sends elsewhere; a credential is not carried there."""

    kind = "redirected"
    help = "write the final URL into agent.toml (GitLab's ends in .git)"


class OwnershipError(GitError):
    """A repository on this machine belongs to another user, whose configuration Git would run."""

    kind = "ownership"
    help = "let the user that runs the agent own the repository, or serve it over ssh or https"


class RemoteDownError(GitError):
    """The server cannot be reached, or broke off."""

    kind = "remote-down"
    help = "look at the network and the Git server; the host keeps what it runs"


class RefusedObjectError(GitError):
    """The remote sent an object that no honest Git makes: refused, not stored."""

    kind = "object-refused"
    help = "run `git fsck --strict` in a clone: it names the object"


class CorruptError(GitError):
    """The repository on this host cannot be read."""

    kind = "corrupt"
    help = "nothing to do: the agent's copy is rebuilt from the remote"


class NoSpaceError(GitError):
    """The disk, or a quota, is full."""

    kind = "no-space"
    help = "make room on the file system that holds the agent's state"


class NotWritableError(GitError):
    """The folder cannot be written."""

    kind = "not-writable"
    help = "see why the agent's state folder is read-only or belongs to another user"


PATTERNS: Final[tuple[tuple[type[GitError], tuple[str, ...]], ...]] = (
    (NoSpaceError, ("no space left on device", "disk quota exceeded")),
    (TooLargeError, ("file too large", "exceeds maximum allowed size")),
    (NotWritableError, ("read-only file system",)),
    (HostKeyChangedError, ("remote host identification has changed", r"offending \S+ key in")),
    (HostKeyUnknownError, ("host key verification failed", r"no \S+ host key is known")),
    (OwnershipError, ("dubious ownership",)),
    (RedirectedError, ("redirects followed", "unable to update url base from redirection", "returned error: 30[1278]")),
    (
        AuthError,
        (
            "authentication failed",
            "could not read (username|password)",
            r"permission denied \(",
            "returned error: 40[13]",
            "too many authentication failures",
        ),
    ),
    (RefMissingError, ("couldn't find remote ref", "not our ref", "request for unadvertised object")),
    (
        RepositoryMissingError,
        (
            "repository '.*' not found",
            "returned error: 404",
            "does not appear to be a git repository",
            "repository not found",
            "not exported",
        ),
    ),
    (CertificateError, ("certificate", "server verification failed", "no alternative .* name")),
    (
        RefusedObjectError,
        (
            "fsck error",
            "error in (tag|tree|blob|commit|packed) object",
            "did not (send all necessary|receive expected) object",
            "index-pack (failed|abnormal)",
            "fetch-pack: invalid",
            "collision",
        ),
    ),
    (
        RemoteDownError,
        (
            "could not resolve",
            "connection (refused|timed out|reset|closed)",
            "(failed|unable) to connect",
            "no route to host",
            "network is unreachable",
            "unable to access",
            "early eof",
            "hung up",
            "rpc failed",
            "protocol error",
            "bad line length",
            "expected (flush|'?packfile)",
            "timed out",
            "could not read from remote repository",
            "invalid content-type",
        ),
    ),
    (
        CorruptError,
        (
            "corrupt",
            "bad (object|tree|config|shallow|revision|signature)",
            "missing (blob|tree|commit)",
            "object file .* is empty",
            "not a git repository",
            r"unable to (read|parse|unpack|find)\b",
            r"could not (parse|read|get)\b",
            "failed to (read|traverse)",
            "inflate",
            "packfile .* (cannot|does not)",
            "not a valid object",
            "(garbage at end|too small|too short)",
            "broken (link|ref)",
        ),
    ),
)
"""The first kind that has a pattern in what Git said, in any case of letters."""


def fault(said: bytes, code: int, verb: str) -> GitError:
    """The error for what `git VERB` said on standard error when it ended with `code`."""
    text = said.decode(errors="replace")
    kind = next((kind for kind, patterns in PATTERNS if re.search("|".join(patterns), text, re.IGNORECASE)), GitError)
    return kind(f"git {verb}: {telling_line(text) or f'exit code {code}'}")


def telling_line(text: str) -> str:
    """The line of Git's words that says why, printable and bounded: the first fatal one or error, or else the last.

    Of ssh's failures Git only knows that they happened: there the line before it says why.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    marks = ("error: object ", "fatal: ", "error: ")  # the first is fsck's, and names what is wrong
    marked = [line for mark in marks for line in lines if line.startswith(mark)]
    chosen = (marked or lines or [""])[0 if marked else -1]
    if chosen in lines[1:] and "could not read from remote repository" in chosen.lower():
        chosen = lines[lines.index(chosen) - 1]
    return "".join(each if each.isprintable() else "?" for each in chosen)[:MOST_WORDS]
