"""Check: the account and the group that the unit runs under are on this host.

systemd looks them up when it starts the process, and then fails with status 216 or 217.
"""

from __future__ import annotations

import grp
import pwd
from typing import TYPE_CHECKING

from sgfleet.agent.reason import Reason
from sgfleet.render.unit_reader import parse_unit

if TYPE_CHECKING:
    from sgfleet.agent.admission.situation import Situation


def check(situation: Situation) -> Reason | None:
    """The first of both that is missing."""
    parsed = parse_unit(situation.text)
    for key, look_up, make in (
        ("User", pwd.getpwnam, "useradd --system"),
        ("Group", grp.getgrnam, "groupadd --system"),
    ):
        name = parsed.value("Service", key)
        if name is None:
            continue
        try:
            look_up(name)
        except KeyError:
            text = f"there is no {key.lower()} {name} on this host ({key}= of the unit)"
            return Reason("accounts", text, f"{make} {name}")
    return None
