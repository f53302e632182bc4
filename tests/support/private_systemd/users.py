"""Users inside, with a manager of their own that no login keeps."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from support.private_systemd.machine import CHECKOUT

if TYPE_CHECKING:
    from support.private_systemd.instance import PrivateSystemd


@dataclass(frozen=True, slots=True)
class User:
    """A user inside. `become` comes before a command that is to run as this user: `systemd.run(*user.become, ...)`."""

    name: str
    user_id: int

    @property
    def become(self) -> tuple[str, ...]:
        """No login and no session: XDG_RUNTIME_DIR is not set, as for any process of a timer."""
        user = str(self.user_id)
        return ("setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "env", f"HOME=/home/{self.name}")


def lingering_user(systemd: PrivateSystemd, name: str) -> User:
    """Make a user whose manager is started at once and at each boot (`loginctl enable-linger`).

    What leads to the checkout and to this Python is opened to all users, inside.
    """
    systemd.run("useradd", "--create-home", "--shell=/bin/sh", name)
    user = User(name, int(systemd.run("id", "--user", name).stdout))
    for needed in (CHECKOUT, Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve().parent):
        for folder in (*reversed(needed.resolve().parents), needed.resolve()):
            systemd.run("chmod", "a+x", folder, check=False)  # one that is bound read-only is as it is
    systemd.run("loginctl", "enable-linger", name)
    deadline = time.monotonic() + 30.0
    while True:
        state = systemd.run("systemctl", "is-active", f"user@{user.user_id}.service", check=False).stdout.strip()
        if state == "active":
            return user
        if time.monotonic() > deadline:
            raise AssertionError(f"the manager of {name} is {state}")
        time.sleep(0.02)
