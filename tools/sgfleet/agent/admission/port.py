"""Check: the service's port is free, or held by the instance that is stopped first.

SGLang binds after the model is loaded: a port that is taken would end the start minutes later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.agent.address import address_of
from sgfleet.agent.admission.sockets import holders, listeners, overlaps
from sgfleet.agent.reason import Reason

if TYPE_CHECKING:
    from sgfleet.agent.admission.situation import Situation


def check(situation: Situation) -> Reason | None:
    """Who holds it."""
    brief, machine = situation.brief, situation.machine
    if brief is not None and not brief.promise.serves:
        return None  # the first host of a group answers for it; this process binds no port
    address = brief.address if brief is not None else address_of(situation.service, situation.release)
    flag = situation.release.by_name.get("host")
    host = str(situation.flags.get("host") or (flag.default if flag is not None else "") or "")
    taken = [each for each in listeners(machine) if each.port == address.port and overlaps(each, host)]
    if not taken:
        return None
    by_inode = holders(machine, {each.inode for each in taken})
    for each in taken:
        pids = by_inode.get(each.inode, ())
        if not situation.own_processes.isdisjoint(pids):
            continue
        text = f"port {address.port} is taken on {each.address}: {_who(situation, pids)}"
        return Reason("port", text, "stop it, or give the service another port")
    return None


def _who(situation: Situation, pids: tuple[int, ...]) -> str:
    if not pids:
        return "by a process that this account cannot see"
    pid = pids[0]
    comm = "".join(each for each in situation.machine.read(f"/proc/{pid}/comm") or "" if each.isprintable())
    unit = situation.owners.get(pid)
    return f"process {pid} ({comm or 'gone by now'})" + (f" of {unit}" if unit else "")
