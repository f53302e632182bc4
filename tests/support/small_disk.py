"""A file system of a few kilobytes, to be full or read-only."""

from __future__ import annotations

import contextlib
import os
import subprocess
from typing import TYPE_CHECKING

from support.systemd_plugin import skip_or_fail

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class SmallDisk:
    """Where it is mounted; `disk / name` is a path on it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    @contextlib.contextmanager
    def read_only(self) -> Iterator[None]:
        subprocess.run(("mount", "-o", "remount,ro", self.path), check=True)
        try:
            yield
        finally:
            subprocess.run(("mount", "-o", "remount,rw", self.path), check=True)


@contextlib.contextmanager
def small_disk(path: Path, size_bytes: int) -> Iterator[SmallDisk]:
    """A tmpfs at `path`; the test is skipped where nobody may mount one."""
    if os.getuid() != 0:
        skip_or_fail("only root mounts a disk")
    path.mkdir()
    command = ("mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "tmpfs", path)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        skip_or_fail(f"no disk can be mounted: {done.stderr.strip()}")
    try:
        yield SmallDisk(path)
    finally:
        subprocess.run(("umount", "--lazy", path), check=True)
