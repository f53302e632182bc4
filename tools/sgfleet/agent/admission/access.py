"""Check: the service's own account may read what it starts from.

The agent reads everything; the service under User= is refused, and finds out after the one that ran was stopped. The
agent cannot become somebody else (its unit takes that away), so the permission bits are read as the kernel reads them:
of every folder on the way, and of what stands at its end. An entry with an ACL may grant more than its bits show, and
is taken to do so. For root, and for a user's services, which run as whoever asks here, the other checks have looked.
"""

from __future__ import annotations

import grp
import os
import pwd
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.agent.admission.model import FLAGS
from sgfleet.agent.reason import Reason
from sgfleet.render.unit_reader import parse_unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.agent.admission.situation import Situation

READ, EXECUTE = 4, 1
_ACLS: Final = frozenset({"system.posix_acl_access", "system.nfs4_acl"})


class Account(NamedTuple):
    """Whom the kernel asks about."""

    user: int
    groups: frozenset[int]


def check(situation: Situation) -> Reason | None:
    """The first path that is shut, and where on the way."""
    parsed = parse_unit(situation.text)
    user, group = parsed.value("Service", "User"), parsed.value("Service", "Group")
    if user in {None, "root"} or situation.local.scope == "user":
        return None
    account = account_of(str(user), group)
    for wanted, doing, path in _needed(situation):
        shut = shut_at(path, wanted, account)
        if shut is not None:
            text = f"{user} (User= of the unit) may not {doing} {path}"
            where = f": {shut} is shut to it" if shut != path else ""
            return Reason("access", f"{text}{where}", f"namei -l {path} shows who may what on the way")
    return None


def account_of(user: str, group: str | None) -> Account:
    """The account as systemd starts a process under it."""
    found = pwd.getpwnam(user)
    primary = found.pw_gid if group is None else grp.getgrnam(group).gr_gid
    return Account(found.pw_uid, frozenset({primary, *os.getgrouplist(user, primary)}))


def shut_at(path: Path, wanted: int, account: Account) -> Path | None:
    """The folder on the way, or the path itself, that refuses the account; None where nothing surely does."""
    real = Path(os.path.realpath(path))
    for folder in dict.fromkeys((*reversed(path.parents), *reversed(real.parents))):
        if _refuses(folder, EXECUTE, account):
            return folder
    return path if _refuses(real, wanted, account) else None


def _refuses(path: Path, wanted: int, account: Account) -> bool:
    try:
        found = path.stat()
    except FileNotFoundError:  # what is missing is another check's business
        return False
    if account.user == found.st_uid:
        bits = found.st_mode >> 6
    elif found.st_gid in account.groups:
        bits = found.st_mode >> 3
    else:
        bits = found.st_mode
    return bits & wanted != wanted and not _ACLS & set(os.listxattr(path))


def _needed(situation: Situation) -> Iterator[tuple[int, str, Path]]:
    """What is wanted of a path, in bits and in words."""
    yield EXECUTE, "execute", Path(situation.service.python)
    for flag in FLAGS:
        named = situation.flags.get(flag)
        if isinstance(named, str) and named.startswith("/"):
            path = Path(named)
            yield READ, "read", path
            if stat.S_ISDIR(path.stat().st_mode):
                for each in sorted(path.iterdir()):
                    yield READ, "read", each
    if situation.service.working_directory is not None:
        yield EXECUTE, "enter", Path(situation.service.working_directory)
