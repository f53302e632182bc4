"""What can happen to the file systems inside, for as long as a `with` block lasts."""

from __future__ import annotations

import contextlib
import os
import subprocess
from typing import TYPE_CHECKING

from support.private_systemd.machine import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.private_systemd.instance import PrivateSystemd


@contextlib.contextmanager
def full_disk(systemd: PrivateSystemd, free_bytes: int = 0) -> Iterator[None]:
    """Whatever asks for more than `free_bytes` (rounded up to pages) gets ENOSPC, everywhere but in /tmp, /run, /dev.

    What is written meanwhile stays, and so does what is removed.
    """
    layer = systemd.record.folder / "layer"
    disk = os.statvfs(f"/proc/{systemd.record.keeper}/root{layer}")
    used = (disk.f_blocks - disk.f_bfree) * disk.f_frsize
    _resize(systemd, layer, used + free_bytes)
    try:
        yield
    finally:
        _resize(systemd, layer, disk.f_blocks * disk.f_frsize)


@contextlib.contextmanager
def small_folder(systemd: PrivateSystemd, path: str, size_bytes: int) -> Iterator[None]:
    """An empty file system of that size at the path; afterwards the folder is what it was."""
    systemd.run("mkdir", "-p", path)
    systemd.run("mount", "-t", "tmpfs", "-o", f"mode=755,size={size_bytes}", "tmpfs", path)
    try:
        yield
    finally:
        systemd.run("umount", "--lazy", path)


@contextlib.contextmanager
def read_only(systemd: PrivateSystemd, path: str = "/etc") -> Iterator[None]:
    """Writes to the folder, and to what is mounted below it, fail with EROFS, in services that are started now too."""
    systemd.run("mount", "--rbind", path, path)
    try:
        # As peers of what they cover, they would take that with them when they go.
        systemd.run("mount", "--make-rprivate", path)
        mounted = systemd.run("findmnt", "--noheadings", "--raw", "--output=TARGET").stdout.splitlines()
        for target in sorted({each for each in mounted if each == path or each.startswith(f"{path}/")}):
            systemd.run("mount", "-o", "remount,ro,bind", target)
        yield
    finally:
        systemd.run("umount", "--recursive", "--lazy", path)


def _resize(systemd: PrivateSystemd, layer: Path, size_bytes: int) -> None:
    enter = ["nsenter", f"--target={systemd.record.keeper}", "--mount", "--"]
    subprocess.run([*enter, "mount", "-o", f"remount,size={size_bytes}", str(layer)], env=ENVIRONMENT, check=True)
