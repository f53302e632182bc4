"""Check: a rank may lock the host pool that it pins.

LimitMEMLOCK= of the unit bounds it, without one the manager's default. A user's manager cannot give more than it has
itself: systemd takes the nearest it may set without a word, and the engine fails at the end of a long load, or, before
0.5.13, runs on with a pool that the GPU cannot reach.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final, Literal

from sgfleet.agent.admission.pools import Pools
from sgfleet.agent.reason import Reason
from sgfleet.memory.units import gib
from sgfleet.render.unit_reader import parse_unit

if TYPE_CHECKING:
    from sgfleet.agent.admission.situation import Situation

Limit = int | Literal["infinity"]
_SIZE: Final = re.compile(r"(\d{1,20})([KMGTPE]?)")
_LOCKED: Final = re.compile(r"^Max locked memory +\S+ +(unlimited|\d+) ", re.MULTILINE)


def check(situation: Situation) -> Reason | None:
    """The bound that a rank's pool breaks."""
    pools = situation.pools
    if not isinstance(pools, Pools):
        return None
    rank = pools.share.rank_bytes
    limit = _of_unit(situation)
    if limit != "infinity" and rank > limit:
        text = f"a rank locks {gib(rank)}, and the unit lets it lock {gib(limit)} (LimitMEMLOCK=)"
        return Reason("memlock", text, "limit-memlock: infinity under unit:")
    if situation.local.scope != "user":
        return None
    limit = _of_manager(situation)
    if limit != "infinity" and rank > limit:
        text = f"a rank locks {gib(rank)}, and this user's systemd may lock {gib(limit)}"
        return Reason("memlock", text, "LimitMEMLOCK=infinity for user@.service, then log in anew")
    return None


def _of_unit(situation: Situation) -> Limit:
    """The soft limit, in bytes."""
    text = parse_unit(situation.text).value("Service", "LimitMEMLOCK")
    if text is None:
        default = situation.live.limits.memlock_bytes
        if default is None:
            raise OSError("systemd does not say DefaultLimitMEMLOCK, and the unit sets no limit")
        return default
    soft = text.partition(":")[0].strip()
    if soft == "infinity":
        return "infinity"
    match = _SIZE.fullmatch(soft)
    if match is None:
        raise OSError(f"LimitMEMLOCK={soft[:40]} of the unit cannot be read")
    return int(match[1]) << 10 * " KMGTPE".index(match[2] or " ")


def _of_manager(situation: Situation) -> Limit:
    """The hard limit of the manager's own process."""
    unit = f"user@{os.geteuid()}.service"
    answer = situation.machine.run("systemctl", "show", "--property=MainPID", "--value", unit)
    pid = answer.text.strip() if answer.ok else ""
    found = _LOCKED.search(situation.machine.read(f"/proc/{pid}/limits") or "") if pid.isdecimal() else None
    if found is None:
        raise OSError(f"how much {unit} may lock cannot be read")
    return "infinity" if found[1] == "unlimited" else int(found[1])
