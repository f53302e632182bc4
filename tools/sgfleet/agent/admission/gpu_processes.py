"""What the GPUs are used for now: through NVML, else nvidia-smi."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sgfleet.facts.gpu import pci_address
from sgfleet.facts.smi import PROGRAM
from sgfleet.facts.smi_text import number, without_ids
from sgfleet.memory.units import MIB

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sgfleet.facts.machine import Machine
    from sgfleet.spec.models.facts import Gpu

_NO_NUMBER: Final = 2**63
"""NVML says "not available" as the largest number there is."""
_APPS: Final = "gpu_bus_id,pid,used_gpu_memory,process_name"


@dataclass(frozen=True, slots=True)
class GpuProcess:
    """A process that computes on a GPU. `used_bytes` is None where the driver does not say; `program` may be empty."""

    pid: int
    used_bytes: int | None = None
    program: str = ""


@dataclass(frozen=True, slots=True)
class GpuUse:
    """One GPU. `used_bytes`: of its memory, by whomever."""

    index: int
    used_bytes: int | None
    processes: tuple[GpuProcess, ...]


def read(machine: Machine, gpus: Sequence[Gpu]) -> tuple[GpuUse, ...]:
    """The use of each GPU that answers.

    Raises:
        OSError: it cannot be asked for.
    """
    answering = [gpu for gpu in gpus if gpu.problem is None]
    if not answering:
        return ()
    library = machine.nvml()
    return tuple(_by_smi(machine, answering) if isinstance(library, str) else _by_nvml(library, answering))


def _by_nvml(library: Any, gpus: Sequence[Gpu]) -> Iterator[GpuUse]:
    for gpu in gpus:
        try:
            handle = library.nvmlDeviceGetHandleByIndex(gpu.index)
            found = library.nvmlDeviceGetComputeRunningProcesses(handle)
            used = int(library.nvmlDeviceGetMemoryInfo(handle).used)
        except library.NVMLError as error:
            raise OSError(f"NVML does not say who uses GPU {gpu.index}: {without_ids(str(error))}") from error
        yield GpuUse(gpu.index, used, tuple(GpuProcess(each.pid, _size(each.usedGpuMemory)) for each in found))


def _size(used: object) -> int | None:
    return used if isinstance(used, int) and used < _NO_NUMBER else None


def _by_smi(machine: Machine, gpus: Sequence[Gpu]) -> Iterator[GpuUse]:
    processes: dict[str | None, list[GpuProcess]] = {}
    for row in _rows(machine, f"--query-compute-apps={_APPS}", 4):
        mib = number(row[2])
        process = GpuProcess(int(row[1]), None if mib is None else mib * MIB, _program(row[3]))
        processes.setdefault(pci_address(row[0]), []).append(process)
    used = {pci_address(row[0]): number(row[1]) for row in _rows(machine, "--query-gpu=pci.bus_id,memory.used", 2)}
    for gpu in gpus:
        mib = used.get(gpu.pci_address)
        yield GpuUse(gpu.index, None if mib is None else mib * MIB, tuple(processes.get(gpu.pci_address, ())))


def _rows(machine: Machine, query: str, columns: int) -> list[list[str]]:
    answer = machine.run(PROGRAM, query, "--format=csv,noheader,nounits")
    if not answer.ok:
        why = answer.reason or without_ids(answer.error or answer.text) or f"it ends with {answer.code}"
        raise OSError(f"nvidia-smi does not say who uses the GPUs: {why}")
    rows = [[field.strip() for field in row] for row in csv.reader(answer.text.splitlines(), skipinitialspace=True)]
    # A program's name is the last column, and may hold commas.
    return [[*row[: columns - 1], ",".join(row[columns - 1 :])] for row in rows if len(row) >= columns]


def _program(text: str) -> str:
    """The name alone: a path tells who it belongs to, arguments may hold a key."""
    name = text.split(" ")[0].rpartition("/")[2]
    return "" if text.startswith("[") else "".join(each for each in name if each.isprintable())[:64]
