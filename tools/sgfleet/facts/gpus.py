"""GPUs: NVML, else nvidia-smi, held against the PCI bus. "None" is said only where it is certain."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sgfleet.facts import nvml, pci, smi
from sgfleet.facts.gpu import GpuReading, GpusReading

if TYPE_CHECKING:
    from sgfleet.facts.machine import Machine
    from sgfleet.facts.pci import PciGpu

_MODULE: Final = "nvidia"


def read(machine: Machine) -> GpusReading:
    """The GPUs of the machine. A GPU of the bus that the driver does not reach is in it with its problem."""
    on_bus = pci.gpus(machine)
    library = machine.nvml()
    reading = smi.read(machine, on_bus or ()) if isinstance(library, str) else nvml.read(library)
    if reading.gpus is None:
        reason = reading.unknown["gpus"]
        if isinstance(library, str):
            reason = f"{library}; {reason}"
        return _without_driver(reason, on_bus, machine)
    return _held(reading, on_bus)


def _without_driver(reason: str, on_bus: tuple[PciGpu, ...] | None, machine: Machine) -> GpusReading:
    if on_bus is None:
        unknown = f"{reason}; the PCI bus cannot be looked at either"
        return GpusReading("no way that works here", unknown={"gpus": unknown})
    if on_bus:
        unknown = f"{_count(on_bus)} on the PCI bus, and no driver that answers: {reason}"
        return GpusReading("PCI bus", unknown={"gpus": unknown[:500]})
    if any(machine.names(folder) for folder in ("/proc/driver/nvidia", "/sys/module/nvidia", "/sys/module/tegra_fuse")):
        unknown = f"an NVIDIA driver is loaded, and no GPU is on the PCI bus: {reason}"
        return GpusReading("PCI bus", unknown={"gpus": unknown[:500]})
    return GpusReading("PCI bus", (), notes=("no NVIDIA driver on this machine, and no GPU on its PCI bus",))


def _count(on_bus: tuple[PciGpu, ...]) -> str:
    makers = sorted({gpu.maker for gpu in on_bus})
    return " and ".join(
        f"{sum(gpu.maker == maker for gpu in on_bus)} {maker} GPU(s), held by "
        + ", ".join(sorted({gpu.module or "no module" for gpu in on_bus if gpu.maker == maker}))
        for maker in makers
    )


def _held(reading: GpusReading, on_bus: tuple[PciGpu, ...] | None) -> GpusReading:
    """With NUMA nodes and names from the bus, and with the GPUs that only the bus knows."""
    assert reading.gpus is not None  # noqa: S101 - the caller has looked
    bus = {gpu.address: gpu for gpu in on_bus or ()}
    gpus = [_completed(gpu, bus.get(gpu.pci_address or "")) for gpu in reading.gpus]
    notes = list(reading.notes)
    seen = {gpu.pci_address for gpu in gpus}
    unplaced = [at for at, gpu in enumerate(gpus) if gpu.pci_address is None and gpu.problem]
    next_index = max((gpu.index for gpu in gpus), default=-1) + 1
    for gpu in bus.values():
        if gpu.address in seen:
            continue
        if gpu.maker != "NVIDIA" or gpu.module not in (_MODULE, None):
            notes.append(f"{gpu.address}: a GPU of {gpu.maker} that {gpu.module or 'no module'} has; it is not counted")
        elif unplaced:
            # The library counts a GPU that it cannot reach, and the bus has one that nobody claims: the same.
            at = unplaced.pop(0)
            gpus[at] = _completed(replace(gpus[at], pci_address=gpu.address), gpu)
        else:
            problem = f"the PCI bus has it, and the driver does not list it; {next_index} is not nvidia-smi's number"
            gpus.append(_completed(GpuReading(next_index, pci_address=gpu.address, problem=problem), gpu))
            next_index += 1
    return replace(reading, gpus=tuple(gpus), notes=tuple(notes))


def _completed(gpu: GpuReading, on_bus: PciGpu | None) -> GpuReading:
    if on_bus is None:
        return gpu
    return replace(gpu, name=gpu.name or on_bus.name, numa_node=on_bus.numa_node)
