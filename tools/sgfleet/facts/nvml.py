"""GPUs through NVIDIA's management library (nvidia-ml-py): the same library that nvidia-smi asks, without its text."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from sgfleet.facts.gpu import GpuReading, GpusReading, MigReading, pci_address
from sgfleet.facts.smi_text import value, without_ids

if TYPE_CHECKING:
    from collections.abc import Callable

Library = Any
"""The module `pynvml`: functions named as in NVML, errors as exceptions. It has no types."""

HOW: Final = "NVML"
_MIB: Final = 2**20
_MOST: Final = 64
"""Links of a GPU, instances of a GPU: no card has so many."""


def library() -> Library | str:
    """The library with a session open, or why there is none. The process ends the session."""
    try:
        import pynvml  # type: ignore[import-untyped,import-not-found,unused-ignore]  # it has no types
    except ImportError:
        return "nvidia-ml-py is not installed"
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return f"NVML: {without_ids(str(error))}"
    return pynvml


def read(nvml: Library) -> GpusReading:
    """All GPUs that NVML counts. One that it counts and cannot reach is in it with its problem."""
    ask = _Asking(nvml)
    count = ask.number(nvml.nvmlDeviceGetCount)
    if count is None:
        return GpusReading(HOW, unknown={"gpus": f"NVML does not say how many there are: {ask.complaint}"})
    cuda = ask.number(nvml.nvmlSystemGetCudaDriverVersion)
    return GpusReading(
        HOW,
        tuple(_gpu(ask, index) for index in range(min(count, 4096))),
        ask.text(nvml.nvmlSystemGetDriverVersion),
        f"{cuda // 1000}.{cuda % 1000 // 10}" if cuda else None,
    )


class _Asking:
    """Calls that answer with a value of the right type or with None; `complaint` is what the last failure said."""

    def __init__(self, nvml: Library) -> None:
        self.nvml = nvml
        self.complaint = ""
        self.lost = ""

    def any(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """The answer; None when the library refuses. Whether a GPU was lost is remembered."""
        try:
            return call(*arguments)
        except Exception as error:
            self.complaint = without_ids(str(error)) or type(error).__name__
            if getattr(error, "value", None) == getattr(self.nvml, "NVML_ERROR_GPU_IS_LOST", 15):
                self.lost = self.complaint
            return None

    def number(self, call: Callable[..., Any], *arguments: Any) -> int | None:
        """A whole number of at least 0."""
        answer = self.any(call, *arguments)
        return answer if isinstance(answer, int) and answer >= 0 else None

    def text(self, call: Callable[..., Any], *arguments: Any) -> str | None:
        """Text; older versions of the library give bytes."""
        answer = self.any(call, *arguments)
        return value(answer.decode(errors="replace") if isinstance(answer, bytes) else answer)


def _gpu(ask: _Asking, index: int) -> GpuReading:
    nvml = ask.nvml
    ask.lost = ""
    handle = ask.any(nvml.nvmlDeviceGetHandleByIndex, index)
    if handle is None:
        return GpuReading(index, problem=f"NVML cannot reach it: {ask.complaint}")
    memory = ask.any(nvml.nvmlDeviceGetMemoryInfo, handle)
    capability = ask.any(nvml.nvmlDeviceGetCudaComputeCapability, handle)
    pci = ask.any(nvml.nvmlDeviceGetPciInfo, handle)
    address = getattr(pci, "busId", "")
    mode = ask.any(nvml.nvmlDeviceGetMigMode, handle)
    mig = bool(mode[0]) if isinstance(mode, (tuple, list)) and mode else None
    return GpuReading(
        index=index,
        name=ask.text(nvml.nvmlDeviceGetName, handle),
        memory_mib=_mib(memory),
        compute_capability=f"{capability[0]}.{capability[1]}" if capability else None,
        pcie_generation=ask.number(nvml.nvmlDeviceGetMaxPcieLinkGeneration, handle),
        pcie_width=ask.number(nvml.nvmlDeviceGetMaxPcieLinkWidth, handle),
        pcie_current_width=ask.number(nvml.nvmlDeviceGetCurrPcieLinkWidth, handle),
        nvlinks=_nvlinks(ask, handle),
        pci_address=pci_address(address.decode(errors="replace") if isinstance(address, bytes) else str(address)),
        mig=mig,
        mig_instances=_instances(ask, handle) if mig else (),
        uuid=ask.text(nvml.nvmlDeviceGetUUID, handle),
        serial=ask.text(nvml.nvmlDeviceGetSerial, handle),
        problem=f"NVML says {ask.lost!r}" if ask.lost else None,
    )


def _nvlinks(ask: _Asking, handle: Any) -> int | None:
    """Active links; 0 for a GPU that has none, None for one that does not say."""
    states = []
    for link in range(_MOST):
        state = ask.any(ask.nvml.nvmlDeviceGetNvLinkState, handle, link)
        if state is None:
            break
        states.append(bool(state))
    return None if ask.lost else sum(states)


def _instances(ask: _Asking, handle: Any) -> tuple[MigReading, ...]:
    nvml = ask.nvml
    found = []
    for number in range(min(ask.number(nvml.nvmlDeviceGetMaxMigDeviceCount, handle) or 0, _MOST)):
        instance = ask.any(nvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, number)
        if instance is not None:
            memory_mib = _mib(ask.any(nvml.nvmlDeviceGetMemoryInfo, instance))
            name = ask.text(nvml.nvmlDeviceGetName, instance) or ""
            # Named as its GPU with "MIG 3g.40gb" at the end.
            profile = name.rpartition("MIG ")[2] if "MIG " in name else None
            found.append(MigReading(profile, memory_mib, ask.text(nvml.nvmlDeviceGetUUID, instance)))
    return tuple(found)


def _mib(memory: Any) -> int | None:
    with suppress(AttributeError, TypeError):
        return int(memory.total) // _MIB or None
    return None
