"""What this machine must have, and where things are on it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from support.private_systemd.cgroups import has_cgroup2

CHECKOUT = Path(__file__).resolve().parents[3]
STATE = CHECKOUT / ".cache" / "systemd"
SYSTEMD = Path("/usr/lib/systemd/systemd")
PROGRAMS = ("systemctl", "dbus-daemon", "unshare", "nsenter", "setpriv", "mount", "umount", "pivot_root", "chroot")
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "SYSTEMD_PAGER": "cat",
    "SYSTEMD_COLORS": "0",
}


class SystemdUnavailableError(RuntimeError):
    """This machine cannot boot a private systemd; the message says why."""


def unavailable() -> str | None:
    """Why there can be no private systemd here, or None."""
    if os.getuid() != 0:
        return "not root: namespaces and an overlay of / need it"
    if not SYSTEMD.exists():
        return f"systemd is not installed (no {SYSTEMD})"
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    if not has_cgroup2():
        return "no cgroup2 file system is mounted"
    return None
