"""A bare repository that plays the fleet's origin, with commits signed by whom a test wants."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

START_SECONDS = 1_700_000_000


class Signer(Protocol):
    """An SSH or a GPG key of `support.signing`."""

    def config(self) -> dict[str, str]: ...

    def environment(self) -> dict[str, str]: ...


class Origin:
    """A bare repository at `path`. Every commit is one minute after the one before, from `START_SECONDS` on."""

    def __init__(self, path: Path, *options: str) -> None:
        self.path = path
        self.seconds = START_SECONDS
        path.mkdir(parents=True)
        self.git("init", "--quiet", "--bare", "--initial-branch=main", *options)

    def git(self, *arguments: str, stdin: bytes = b"", extra: Mapping[str, str] | None = None) -> str:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": "/nonexistent",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_DIR": str(self.path),
            "GIT_AUTHOR_NAME": "Test Person",
            "GIT_AUTHOR_EMAIL": "person@example.org",
            "GIT_COMMITTER_NAME": "Test Person",
            "GIT_COMMITTER_EMAIL": "person@example.org",
            **(extra or {}),
        }
        done = subprocess.run(
            ("git", *arguments), input=stdin, capture_output=True, env=environment, cwd="/", check=False
        )
        if done.returncode:
            raise AssertionError(f"git {' '.join(arguments)}: {done.stderr.decode()}")
        return done.stdout.decode().strip()

    def blob(self, data: bytes) -> str:
        return self.git("hash-object", "-w", "--stdin", stdin=data)

    def tree(self, files: Mapping[str, bytes | str], modes: Mapping[str, str] | None = None) -> str:
        """A tree of `files`: path -> content. `modes`: path -> mode, where it is not an ordinary file."""
        folders: dict[str, dict[str, bytes | str]] = {}
        rows: list[bytes] = []
        for path, content in files.items():
            top, _, rest = path.partition("/")
            if rest:
                folders.setdefault(top, {})[rest] = content
            else:
                data = content.encode() if isinstance(content, str) else content
                rows.append(f"{(modes or {}).get(path, '100644')} blob {self.blob(data)}\t{top}".encode())
        for name, inside in folders.items():
            inner = {
                path.partition("/")[2]: mode for path, mode in (modes or {}).items() if path.startswith(f"{name}/")
            }
            rows.append(f"040000 tree {self.tree(inside, inner)}\t{name}".encode())
        return self.git("mktree", "-z", stdin=b"".join(row + b"\0" for row in rows))

    def commit(
        self,
        files: Mapping[str, bytes | str] | str,
        parents: Sequence[str] | None = None,
        signer: Signer | None = None,
        *,
        message: str = "a change",
        seconds: int | None = None,
        branch: str | None = "main",
    ) -> str:
        """Commit a tree (its files, or its id) on top of `parents` (the branch by default); the branch moves there."""
        if parents is None:
            tip = self.git("for-each-ref", "--format=%(objectname)", "refs/heads/main")
            parents = [tip] if tip else []
        self.seconds += 60
        tree = files if isinstance(files, str) else self.tree(files)
        when = f"{self.seconds if seconds is None else seconds} +0000"
        extra = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when, **getattr(signer, "environment", dict)()}
        config = [
            word for key, value in (signer.config() if signer else {}).items() for word in ("-c", f"{key}={value}")
        ]
        options = [*(word for parent in parents for word in ("-p", parent)), *(["-S"] if signer else [])]
        made = self.git(*config, "commit-tree", *options, "-m", message, tree, extra=extra)
        if branch is not None:
            self.point(made, branch)
        return made

    def point(self, commit: str, branch: str = "main") -> None:
        """Move the branch, as a (forced) push does."""
        self.git("update-ref", f"refs/heads/{branch}", commit)

    def long_history(self, count: int, branch: str = "main") -> str:
        """`count` unsigned commits on top of the branch, 10,000 in about a second; the last one's id."""
        tip = self.git("for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")
        lines = [f"reset refs/heads/{branch}\nfrom {tip}\n\n"] if tip else []
        for number in range(count):
            self.seconds += 60
            text = f"number: {number}\n"
            lines.append(
                f"commit refs/heads/{branch}\ncommitter Test Person <person@example.org> {self.seconds} +0000\n"
                f"data 1\nx\nM 100644 inline fleet.yaml\ndata {len(text)}\n{text}\n"
            )
        self.git("fast-import", "--quiet", stdin="".join(lines).encode())
        return self.git("rev-parse", f"refs/heads/{branch}")
