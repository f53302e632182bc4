"""GPUs on the PCI bus, as the kernel sees them: there whether or not a driver is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sgfleet.facts.machine import Machine

DEVICES: Final = "/sys/bus/pci/devices"
NVIDIA: Final = "0x10de"
_MAKERS: Final = {NVIDIA: "NVIDIA", "0x1002": "AMD", "0x1da3": "Habana", "0x8086": "Intel"}
_GRAPHICS: Final = ("0x0300", "0x0302")
"""VGA controller, 3D controller."""
_ACCELERATOR: Final = "0x1200"
_ADDRESS: Final = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


@dataclass(frozen=True, slots=True)
class PciGpu:
    """A GPU at a PCI address, with the kernel module that has it (`nvidia`, `vfio-pci`, `nouveau`, or none)."""

    address: str
    maker: str
    module: str | None
    numa_node: int | None
    name: str | None
    """From /proc/driver/nvidia, which keeps the name of a GPU that no longer answers."""


def gpus(machine: Machine) -> tuple[PciGpu, ...] | None:
    """The GPUs by address; None where the bus cannot be looked at.

    An Intel VGA controller is a mainboard's; AMD's and Intel's count when they are accelerators or 3D controllers.
    """
    names = machine.names(DEVICES)
    if names is None:
        return None
    return tuple(gpu for name in names if _ADDRESS.fullmatch(name) and (gpu := _gpu(machine, name)))


def _gpu(machine: Machine, address: str) -> PciGpu | None:
    folder = f"{DEVICES}/{address}"
    vendor = (machine.read(f"{folder}/vendor") or "").strip()
    kind = (machine.read(f"{folder}/class") or "").strip()[:6]
    graphics = kind in _GRAPHICS if vendor == NVIDIA else kind == _GRAPHICS[1]
    if vendor not in _MAKERS or not (graphics or kind == _ACCELERATOR):
        return None
    module = machine.target(f"{folder}/driver")
    return PciGpu(
        address,
        _MAKERS[vendor],
        module.rsplit("/", 1)[-1] if module else None,
        _node((machine.read(f"{folder}/numa_node") or "").strip()),
        _name(machine.read(f"/proc/driver/nvidia/gpus/{address}/information")),
    )


def _node(text: str) -> int | None:
    """-1 is the kernel's word for a machine that has no nodes, or does not know."""
    return int(text) if text.isdecimal() and len(text) < 6 else None


def _name(information: str | None) -> str | None:
    match = re.search(r"^Model:\s*(\S.*?)\s*$", information or "", re.MULTILINE)
    return match[1][:200] if match and match[1].isprintable() and match[1] != "Unknown" else None
