"""Versions: kernel and systemd. Those of the driver come with the GPUs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from sgfleet.facts.gpu import known

if TYPE_CHECKING:
    from sgfleet.facts.machine import Machine

HOW: Final = "NVIDIA driver; /proc/sys/kernel/osrelease; systemctl --version"
_DRIVER: Final = re.compile(r"Kernel Module(?: for \S+)?\s+(\d+\.\d+(?:\.\d+)?)")


def read(machine: Machine, driver: str | None, cuda: str | None) -> tuple[dict[str, Any], dict[str, str]]:
    """The part `software` of the facts, and what of it is unknown; `driver` and `cuda` come with the GPUs."""
    kernel = (machine.read("/proc/sys/kernel/osrelease") or "").strip()
    answer = machine.run("systemctl", "--version")
    unknown = {}
    systemd = systemd_version(answer.text) if answer.ok else None
    if systemd is None:
        unknown["software.systemd"] = answer.reason or "systemctl --version does not say it"
    return known(
        {
            "driver": driver or driver_version(machine.read("/proc/driver/nvidia/version") or ""),
            "cuda": cuda,
            "kernel": kernel if kernel.isprintable() and 0 < len(kernel) <= 500 else None,
            "systemd": systemd,
        }
    ), unknown


def systemd_version(text: str) -> int | None:
    """`systemd 252 (252.39-1~deb12u1)` -> 252."""
    match = re.match(r"systemd (\d{1,5})\b", text)
    return int(match[1]) if match else None


def driver_version(text: str) -> str | None:
    """/proc/driver/nvidia/version, which says it when no GPU answers: `... Kernel Module for x86_64  570.86.15 ...`."""
    match = _DRIVER.search(text)
    return match[1] if match else None
