"""A GPU as it was read, before it becomes a fact."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

_ADDRESS: Final = re.compile(r"(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MigReading:
    """A MIG instance: its profile (`3g.40gb`) and memory."""

    profile: str | None = None
    memory_mib: int | None = None
    uuid: str | None = None


@dataclass(frozen=True, slots=True)
class GpuReading:
    """A GPU; None is unknown. `problem` says why it cannot be used."""

    index: int
    name: str | None = None
    memory_mib: int | None = None
    compute_capability: str | None = None
    pcie_generation: int | None = None
    pcie_width: int | None = None
    pcie_current_width: int | None = None
    nvlinks: int | None = None
    pci_address: str | None = None
    numa_node: int | None = None
    mig: bool | None = None
    mig_instances: tuple[MigReading, ...] = ()
    uuid: str | None = None
    serial: str | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class GpusReading:
    """All GPUs of a machine, or why they are unknown. `notes` are what a person should know besides."""

    how: str
    gpus: tuple[GpuReading, ...] | None = None
    driver: str | None = None
    cuda: str | None = None
    unknown: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def pci_address(text: str) -> str | None:
    """`00000000:17:00.0`, as nvidia-smi writes it, -> `0000:17:00.0`, as the kernel does; None for anything else."""
    match = _ADDRESS.fullmatch(text.strip())
    if match is None:
        return None
    domain, bus, device, function = match.groups()
    return f"{int(domain or '0', 16):04x}:{bus}:{device}.{function}".lower()


def as_facts(gpu: GpuReading, *, with_ids: bool) -> dict[str, Any]:
    """The entry of a GPU in facts.yaml, in the order of its model. Serials and UUIDs only when asked for."""
    pcie = {
        "generation": gpu.pcie_generation,
        "width": gpu.pcie_width,
        # A link at its full width is nothing to write down.
        "current-width": gpu.pcie_current_width if gpu.pcie_current_width != gpu.pcie_width else None,
    }
    instances = [
        known({"profile": each.profile, "memory-mib": each.memory_mib, "uuid": each.uuid if with_ids else None})
        for each in gpu.mig_instances
    ]
    return known(
        {
            "index": gpu.index,
            "name": gpu.name or "unknown",
            "memory-mib": gpu.memory_mib,
            "compute-capability": gpu.compute_capability,
            "pcie": known(pcie) or None,
            "nvlinks": gpu.nvlinks,
            "numa-node": gpu.numa_node,
            "pci-address": gpu.pci_address,
            "mig": gpu.mig or None,
            "mig-instances": instances or None,
            "problem": gpu.problem,
            "uuid": gpu.uuid if with_ids else None,
            "serial": gpu.serial if with_ids else None,
        }
    )


def known(entries: dict[str, Any]) -> dict[str, Any]:
    """The entries that are not None."""
    return {key: value for key, value in entries.items() if value is not None}
