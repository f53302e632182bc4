"""The only module that starts Git: in a person's checkout, and in a repository that the agent keeps for itself."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sgfleet.source.git_faults import GitError, NotInstalledError, TimedOutError, TooMuchOutputError, fault
from sgfleet.source.process import MOST_OUTPUT_BYTES, Done, TooMuchError, TooSlowError, run

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["GitError", "IsolatedGit", "environment", "git", "object_server"]

TIMEOUT_SECONDS: Final = 30
"""For calls that only read the local repository."""

NOWHERE: Final = Path("/dev/null")
"""As GIT_DIR: no repository, and none is looked for in the folders above."""

ISOLATION: Final = {
    "core.bare": "true",
    "core.hooksPath": "/dev/null",
    "core.attributesFile": "/dev/null",
    "core.excludesFile": "/dev/null",
    "core.fsmonitor": "false",
    "core.untrackedCache": "false",
    "core.symlinks": "false",
    "core.protectHFS": "true",
    "core.protectNTFS": "true",
    "core.bigFileThreshold": "1m",  # what is larger is streamed, not held in memory
    "credential.helper": "",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "fetch.fsckObjects": "true",
    "transfer.fsckObjects": "true",
    "transfer.bundleURI": "false",
    "transfer.unpackLimit": "1",  # one pack a fetch, and no thousands of small files
    "fetch.writeCommitGraph": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.version": "2",
    "protocol.allow": "never",
    "http.followRedirects": "false",
    "http.sslVerify": "true",
    "http.proxy": "",
    "log.showSignature": "false",
    # No signature counts until a caller names whom it trusts.
    "gpg.program": "/bin/false",
    "gpg.openpgp.program": "/bin/false",
    "gpg.x509.program": "/bin/false",
    "gpg.ssh.program": "/bin/false",
    "gpg.ssh.allowedSignersFile": "/dev/null",
    "gpg.minTrustLevel": "fully",
}
"""What holds for the agent's own repository whatever any file says."""


def environment() -> dict[str, str]:
    """The environment for Git: a hook's GIT_DIR and GIT_INDEX_FILE stay, because they name the index that is meant.

    Locale and prompts are fixed, so that the answer is the same everywhere and nothing waits for a person.
    """
    return {**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}


def git(
    root: Path,
    *arguments: str,
    stdin: bytes = b"",
    timeout_seconds: float = TIMEOUT_SECONDS,
    most_bytes: int = MOST_OUTPUT_BYTES,
    lasting_index: bool = False,
) -> bytes:
    """Run `git ARGUMENTS` in `root`, a person's checkout, with the person's configuration; what it prints.

    `lasting_index` asks the index that stays when a commit is stopped, not the one that a hook is told of.

    Raises:
        GitError: Git is missing, failed or took too long.
    """
    variables = environment()
    if lasting_index:
        variables.pop("GIT_INDEX_FILE", None)
    done = _run(root, variables, arguments, arguments[0], stdin, timeout_seconds, most_bytes)
    if done.code:
        raise fault(done.errors, done.code, arguments[0])
    return done.output


@dataclass(frozen=True, slots=True)
class IsolatedGit:
    """Git in a bare repository of our own, deaf to every configuration but what stands here.

    `settings` are options of Git for this repository, on the command line, so nothing secret. `variables` are for the
    environment, which only the same user reads. `schemes` are the transports that may be used, none by default.
    """

    folder: Path = NOWHERE
    settings: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    schemes: tuple[str, ...] = ()

    def __call__(
        self,
        *arguments: str,
        stdin: bytes = b"",
        timeout_seconds: float = TIMEOUT_SECONDS,
        most_bytes: int = MOST_OUTPUT_BYTES,
    ) -> bytes:
        """Run `git ARGUMENTS` and return what it prints.

        Raises:
            GitError: of the kind that Git's words say.
        """
        done = self.run(*arguments, stdin=stdin, timeout_seconds=timeout_seconds, most_bytes=most_bytes)
        if done.code:
            raise fault(done.errors, done.code, arguments[0])
        return done.output

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        timeout_seconds: float = TIMEOUT_SECONDS,
        most_bytes: int = MOST_OUTPUT_BYTES,
        most_file_bytes: int | None = None,
    ) -> Done:
        """The same where the exit code is the answer.

        Raises:
            GitError: Git is missing, took too long, or said more than `most_bytes`.
        """
        return _run(
            Path("/"),
            self.environment(),
            (*self.options(), *arguments),
            arguments[0],
            stdin,
            timeout_seconds,
            most_bytes,
            most_file_bytes,
        )

    def options(self) -> list[str]:
        """What stands before the verb."""
        settings = (f"{key}={value}" for key, value in {**ISOLATION, **self.settings}.items())
        return [word for setting in settings for word in ("-c", setting)]

    def environment(self) -> dict[str, str]:
        """All that Git and what it starts get to see of our environment."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "LC_ALL": "C",
            "HOME": "/nonexistent",  # curl would read .netrc there
            "GIT_DIR": str(self.folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_SYSTEM": "/dev/null",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_GRAFT_FILE": "/nonexistent",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ALLOW_PROTOCOL": ":".join(self.schemes),
            **self.variables,
        }


def object_server(where: Path | IsolatedGit) -> subprocess.Popen[bytes]:
    """A `git cat-file --batch` that answers until its standard input is closed; the caller ends it.

    Raises:
        GitError: it cannot be started.
    """
    if isinstance(where, IsolatedGit):
        folder, options, variables = Path("/"), where.options(), where.environment()
    else:
        folder, options, variables = where, ["--no-replace-objects"], environment()
    try:
        return subprocess.Popen(
            ("git", "--no-pager", *options, "cat-file", "--batch"),
            cwd=folder,
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _cannot_start(folder) from error


def _cannot_start(folder: Path) -> GitError:
    """No such program and no such folder are one error to the kernel."""
    if not folder.is_dir():
        return GitError(f"there is no folder {folder}")
    return NotInstalledError("git is not installed")


def _run(
    folder: Path,
    variables: Mapping[str, str],
    arguments: tuple[str, ...],
    verb: str,
    stdin: bytes,
    timeout_seconds: float,
    most_bytes: int,
    most_file_bytes: int | None = None,
) -> Done:
    try:
        return run(
            ("git", "--no-pager", *arguments),
            folder=folder,
            environment=variables,
            stdin=stdin,
            timeout_seconds=timeout_seconds,
            most_bytes=most_bytes,
            most_file_bytes=most_file_bytes,
        )
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _cannot_start(folder) from error
    except TooSlowError as error:
        raise TimedOutError(f"git {verb} took more than {timeout_seconds:g} s") from error
    except TooMuchError as error:
        raise TooMuchOutputError(f"git {verb} said more than {most_bytes:,} bytes") from error
