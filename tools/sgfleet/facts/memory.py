"""RAM, swap, huge pages and NUMA nodes, from /proc and /sys."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from sgfleet.facts.gpu import known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.facts.machine import Machine

HOW: Final = "/proc/meminfo"
NODES: Final = "/sys/devices/system/node"
_LINE: Final = re.compile(r"(?:Node \d+ )?([A-Za-z_()]+):\s+(\d{1,18})( kB)?\s*")
_ENGINE: Final = re.compile(r"(?:^|\0)-m\0sglang\.launch_server(?:\0|$)|^sglang::|(?:^|/)sglang\0serve(?:\0|$)")
"""Command lines of a server and of its processes, which name themselves `sglang::scheduler_TP0` and the like."""


def sizes(meminfo: str) -> dict[str, int]:
    """/proc/meminfo, or that of a node: name -> bytes; counts of pages stay counts."""
    found = {}
    for line in meminfo.splitlines():
        if match := _LINE.match(line):
            name, number, unit = match.groups()
            found[name] = int(number) * (1024 if unit else 1)
    return found


def read(machine: Machine) -> tuple[dict[str, Any], dict[str, str]]:
    """The part `memory` of the facts, and what of it is unknown.

    MemAvailable counts only with no server running: what a running one has pinned comes back when it stops.
    """
    text = machine.read("/proc/meminfo")
    if text is None:
        return {}, {"memory": "/proc/meminfo cannot be read"}
    found = sizes(text)
    unknown = {}
    available = found.get("MemAvailable")
    if running := engine_processes(machine):
        available = None
        unknown["memory.available-bytes"] = (
            f"{running} process(es) of SGLang run here, and what they hold is free when they stop: "
            "read it again with the services stopped"
        )
    elif available is None:
        unknown["memory.available-bytes"] = "the kernel does not say MemAvailable"
    pages = found.get("HugePages_Total")
    choice = re.search(r"\[(always|madvise|never)\]", machine.read("/sys/kernel/mm/transparent_hugepage/enabled") or "")
    return known(
        {
            "total-bytes": found.get("MemTotal"),
            "available-bytes": available,
            "swap-total-bytes": found.get("SwapTotal"),
            "hugepages": pages,
            "hugepage-bytes": found.get("Hugepagesize") if pages else None,
            "transparent-hugepages": choice[1] if choice else None,
        }
    ), unknown


def engine_processes(machine: Machine) -> int:
    """How many processes of SGLang run. Command lines are looked at, never kept: they may hold keys."""
    found = 0
    for name in machine.names("/proc") or ():
        if name.isdecimal() and _ENGINE.search(machine.read(f"/proc/{name}/cmdline") or ""):
            found += 1
    return found


def read_numa(machine: Machine) -> tuple[list[dict[str, Any]] | None, dict[str, str]]:
    """The part `numa` of the facts, and what of it is unknown."""
    if machine.names(NODES) is None:
        return None, {"numa": f"{NODES} cannot be read"}
    return list(_nodes(machine)), {}


def _nodes(machine: Machine) -> Iterator[dict[str, Any]]:
    numbers = sorted(
        int(match[1]) for name in machine.names(NODES) or () if (match := re.fullmatch(r"node(\d{1,5})", name))
    )
    for number in numbers:
        found = sizes(machine.read(f"{NODES}/node{number}/meminfo") or "")
        cpus = (machine.read(f"{NODES}/node{number}/cpulist") or "").strip()
        yield known(
            {
                "node": number,
                "total-bytes": found.get("MemTotal"),
                "cpus": cpus if re.fullmatch(r"[\d,-]{1,500}", cpus) else None,
            }
        )
