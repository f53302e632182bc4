"""Check: the service's own account may read what it starts from.

The agent is root and reads everything; the service under User= is refused after it was stopped and started. Each path
is tried under that account itself, with its groups, so that ACLs and network file systems count as they will count.
For root, and for a user's services, which run as whoever asks here, the other checks have looked already.
"""

from __future__ import annotations

import pwd
from pathlib import Path
from typing import TYPE_CHECKING

from sgfleet.agent.admission.model import FLAGS
from sgfleet.agent.reason import Reason
from sgfleet.render.unit_reader import parse_unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.agent.admission.situation import Situation


def check(situation: Situation) -> Reason | None:
    """The first path that is shut."""
    parsed = parse_unit(situation.text)
    user = parsed.value("Service", "User") or "root"
    if user == "root" or situation.local.scope == "user":
        return None
    group = parsed.value("Service", "Group")
    for test, doing, path in _needed(situation):
        if not _may(situation, user, group, test, path):
            text = f"{user} may not {doing} {path} (User= of the unit)"
            return Reason("access", text, f"namei -l {path} shows which folder or file is shut")
    return None


def _needed(situation: Situation) -> Iterator[tuple[str, str, str]]:
    """Test, what it means, and path."""
    yield "-x", "execute", situation.service.python
    for flag in FLAGS:
        path = situation.flags.get(flag)
        if isinstance(path, str) and path.startswith("/"):
            yield "-r", "read", path
            # One file stands for all that were copied with it: hundreds of shards are not tried one by one.
            for pattern in ("config.json", "*.safetensors"):
                yield from (("-r", "read", str(found)) for found in sorted(Path(path).glob(pattern))[:1])
    if situation.service.working_directory is not None:
        yield "-x", "enter", situation.service.working_directory


def _may(situation: Situation, user: str, group: str | None, test: str, path: str) -> bool:
    account = (f"--reuid={user}", f"--regid={group or pwd.getpwnam(user).pw_gid}", "--init-groups")
    answer = situation.machine.run("setpriv", *account, "--", "test", test, path)
    if answer.code not in {0, 1} or answer.error.strip():
        why = answer.reason or answer.error.strip()[:200] or f"setpriv ends with {answer.code}"
        raise OSError(f"what {user} may read cannot be tried: {why}")
    return answer.code == 0
