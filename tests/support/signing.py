"""Throw-away keys, and commits signed with them: SSH and GPG, made for one test run."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Self

NAME = "Test Person"


@dataclass(frozen=True)
class SshSigner:
    """An ed25519 key pair at `key` and `key.pub`."""

    name: str
    key: Path

    @classmethod
    def make(cls, folder: Path, name: str) -> Self:
        folder.mkdir(parents=True, exist_ok=True)
        key = folder / f"signer-{name}"
        subprocess.run(
            ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", key), check=True, stdin=subprocess.DEVNULL
        )
        return cls(name, key)

    def allowed(self, options: str = 'namespaces="git"') -> str:
        """Its line for a file of allowed signers."""
        algorithm, public = self.key.with_suffix(".pub").read_text().split()[:2]
        return f"{self.name}@example.org {options} {algorithm} {public}\n"

    def config(self) -> dict[str, str]:
        """Git's options that make commits signed."""
        return {"gpg.format": "ssh", "user.signingKey": str(self.key), "commit.gpgSign": "true"}

    def environment(self) -> dict[str, str]:
        """Nothing is needed beside the options."""
        return {}


@dataclass(frozen=True)
class GpgSigner:
    """A key in a home of its own; `home` is a short path because gpg-agent's socket lies in it."""

    name: str
    home: Path
    fingerprint: str

    @classmethod
    def make(cls, name: str, expires: str = "never", at_seconds: int | None = None) -> Self:
        """`at_seconds`: the time that it is for this signer, now and whenever it signs."""
        home = Path(tempfile.mkdtemp(prefix="gpg-"))
        if at_seconds is not None:
            (home / "gpg.conf").write_text(f"faked-system-time {at_seconds}\n")
        user = f"{name} <{name}@example.org>"
        _gpg(home, "--passphrase", "", "--quick-generate-key", user, "ed25519", "sign", expires)
        listing = _gpg(home, "--with-colons", "--list-keys").decode()
        fingerprint = next(line.split(":")[9] for line in listing.splitlines() if line.startswith("fpr:"))
        return cls(name, home, fingerprint)

    def export(self) -> bytes:
        return _gpg(self.home, "--export", self.fingerprint)

    def config(self) -> dict[str, str]:
        return {"gpg.format": "openpgp", "user.signingKey": self.fingerprint, "commit.gpgSign": "true"}

    def environment(self) -> dict[str, str]:
        return {"GNUPGHOME": str(self.home)}

    def remove(self) -> None:
        subprocess.run(("gpgconf", "--homedir", self.home, "--kill", "all"), check=False, capture_output=True)
        shutil.rmtree(self.home, ignore_errors=True)


def keyring(folder: Path, *signers: GpgSigner, trusted: bool = True) -> Path:
    """A host's home for GPG with the public keys; their owners' trust is full, or not said at all."""
    folder.mkdir(parents=True, mode=0o700)
    for signer in signers:
        _gpg(folder, "--import", stdin=signer.export())
        if trusted:
            # Ultimate is what a person gives with `--edit-key KEY trust`; full would need a signature of one's own.
            _gpg(folder, "--import-ownertrust", stdin=f"{signer.fingerprint}:6:\n".encode())
    return folder


def _gpg(home: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    command = ("gpg", "--homedir", str(home), "--batch", "--quiet", "--pinentry-mode", "loopback", *arguments)
    return subprocess.run(
        command, check=True, input=stdin, capture_output=True, env={**os.environ, "LC_ALL": "C"}
    ).stdout
