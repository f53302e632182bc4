"""What bounds a service whose unit sets no limit of its own: systemd's defaults, and the control groups above it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from sgfleet.facts.gpu import known

if TYPE_CHECKING:
    from sgfleet.facts.machine import Machine

HOW: Final = "systemctl show; /sys/fs/cgroup"
_GROUPS: Final = ("/sys/fs/cgroup", "/sys/fs/cgroup/system.slice")
"""Services of the system run below system.slice; a container's own bound stands at the root."""

Limit = int | Literal["infinity"]


def read(machine: Machine) -> tuple[dict[str, Any], dict[str, str]]:
    """The part `limits` of the facts, and what of it is unknown."""
    unknown = {}
    answer = machine.run("systemctl", "show", "--property=DefaultLimitMEMLOCK,DefaultLimitNOFILESoft")
    defaults = dict(line.split("=", 1) for line in answer.text.splitlines() if "=" in line) if answer.ok else {}
    memlock, files = limit(defaults.get("DefaultLimitMEMLOCK")), limit(defaults.get("DefaultLimitNOFILESoft"))
    if memlock is None:
        unknown["limits.memlock-bytes"] = answer.reason or f"systemctl says {_short(answer.error or answer.text)!r}"
    memory, reason = _memory(machine)
    if reason:
        unknown["limits.memory-bytes"] = reason
    return known({"memlock-bytes": memlock, "open-files": files, "memory-bytes": memory}), unknown


def _memory(machine: Machine) -> tuple[Limit | None, str | None]:
    if machine.read("/sys/fs/cgroup/cgroup.controllers") is None:
        return None, "no unified control group hierarchy at /sys/fs/cgroup"
    bounds = [
        bound
        for group in _GROUPS
        for name in ("memory.max", "memory.high")
        if isinstance(bound := limit(machine.read(f"{group}/{name}")), int)
    ]
    return min(bounds, default="infinity"), None


def limit(text: str | None) -> Limit | None:
    """`infinity`, as systemd writes it, `max`, as the kernel does, or a number."""
    text = (text or "").strip()
    if text in {"infinity", "max"}:
        return "infinity"
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(2**64)) else None


def _short(text: str) -> str:
    return " ".join("".join(each for each in text if each.isprintable() or each.isspace()).split())[:200]
