"""GPUs through nvidia-smi."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sgfleet.facts import smi_text
from sgfleet.facts.gpu import GpuReading, GpusReading

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sgfleet.facts.machine import Answer, Machine
    from sgfleet.facts.pci import PciGpu

PROGRAM: Final = "nvidia-smi"
_NO_GPUS: Final = "No devices were found"


def read(machine: Machine, on_bus: Sequence[PciGpu]) -> GpusReading:
    """What nvidia-smi knows. GPUs that it cannot reach are in it with their problem.

    When one GPU is lost, nvidia-smi may answer for none: then each GPU of the bus is asked for on its own.
    """
    fields, answer = _query(machine)
    gpus = {gpu.pci_address: gpu for gpu in smi_text.table(answer.text, fields)}
    said = f"{answer.text}\n{answer.error}"
    if not answer.ok:
        if answer.code is None:
            return GpusReading(PROGRAM, unknown={"gpus": answer.reason})
        gpus |= _one_by_one(machine, [gpu for gpu in on_bus if gpu.address not in gpus], fields)
    lost = smi_text.lost_devices(said)
    found = [gpu for gpu in gpus.values() if gpu.pci_address not in lost or gpu.problem]
    free = _free(found)
    for address, message in sorted(lost.items()):
        if all(gpu.pci_address != address for gpu in found):
            found.append(GpuReading(next(free), pci_address=address, problem=f"nvidia-smi says {message!r}"))
    if not found and not (answer.ok and _NO_GPUS in said):
        return GpusReading(PROGRAM, unknown={"gpus": _complaint(answer)})
    return _completed(machine, sorted(found, key=lambda gpu: gpu.index))


def _query(machine: Machine, *more: str) -> tuple[list[str], Answer]:
    """Ask for all fields, and without those that this nvidia-smi does not know."""
    fields = list(smi_text.FIELDS)
    while True:
        answer = machine.run(PROGRAM, f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits", *more)
        refused = smi_text.refused_field(answer.text + answer.error)
        if answer.ok or refused not in fields or refused == "index":
            return fields, answer
        fields.remove(refused)


def _one_by_one(machine: Machine, on_bus: Sequence[PciGpu], fields: list[str]) -> dict[str | None, GpuReading]:
    found: dict[str | None, GpuReading] = {}
    for gpu in on_bus:
        if gpu.maker == "NVIDIA" and gpu.module == "nvidia":
            fields, answer = _query(machine, f"--id={gpu.address}")
            found |= {each.pci_address: each for each in smi_text.table(answer.text, fields)}
    return found


def _free(gpus: Sequence[GpuReading]) -> Iterator[int]:
    taken = {gpu.index for gpu in gpus}
    return (index for index in range(len(taken) + 4096) if index not in taken)


def _completed(machine: Machine, gpus: list[GpuReading]) -> GpusReading:
    """With what the table does not have: MIG, NVLink, versions."""
    cuda, memory = smi_text.document(machine.run(PROGRAM, "-q", "-x").text)
    driver = smi_text.value(_first(machine.run(PROGRAM, "--query-gpu=driver_version", "--format=csv,noheader")))
    links = smi_text.nvlinks(machine.run(PROGRAM, "nvlink", "--status").text) if len(gpus) > 1 else {}
    listed = smi_text.listed(machine.run(PROGRAM, "-L").text) if any(gpu.mig for gpu in gpus) else {}
    completed = []
    for gpu in gpus:
        instances = listed.get(gpu.index, [])
        sizes = memory.get(gpu.pci_address or "", [])
        if len(sizes) == len(instances):
            instances = [replace(each, memory_mib=size or None) for each, size in zip(instances, sizes, strict=True)]
        links_of = None if gpu.problem else links.get(gpu.index)
        completed.append(replace(gpu, nvlinks=links_of, mig_instances=tuple(instances)))
    return GpusReading(PROGRAM, tuple(completed), driver, cuda)


def _first(answer: Answer) -> str | None:
    return next(iter(answer.text.splitlines()), None) if answer.ok else None


def _complaint(answer: Answer) -> str:
    said = smi_text.without_ids(answer.error or answer.text)
    return f"nvidia-smi ends with {answer.code} and says {said!r}" if said else f"nvidia-smi ends with {answer.code}"
