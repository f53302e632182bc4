"""A stand-in for pynvml: functions by NVML's names, errors as exceptions with NVML's numbers."""

from __future__ import annotations

from types import SimpleNamespace

GIB = 2**30
LOST, NOT_SUPPORTED, UNKNOWN = 15, 3, 999


class NVMLError(Exception):
    def __init__(self, value: int, text: str) -> None:
        super().__init__(text)
        self.value = value


def gpu(**changes):
    return SimpleNamespace(
        **{
            "name": "NVIDIA H100 80GB HBM3",
            "total": 81559 * 2**20 + 12345,
            "capability": (9, 0),
            "generation": 5,
            "width": 16,
            "current": 16,
            "links": 18,
            "bus": b"00000000:18:00.0",
            "mig": None,
            "instances": [],
            "uuid": "GPU-00000000-0000-0000-0000-000000000001",
            "serial": "1650000000001",
            "lost": False,
            **changes,
        }
    )


class Library:
    NVML_ERROR_GPU_IS_LOST = LOST
    NVMLError = NVMLError

    def __init__(self, gpus, driver="570.133.20", cuda=12080) -> None:
        self.gpus, self.driver, self.cuda = gpus, driver, cuda

    def __getattr__(self, name: str):
        parts = {
            "nvmlDeviceGetName": lambda it: it.name,
            "nvmlDeviceGetMemoryInfo": lambda it: SimpleNamespace(total=it.total),
            "nvmlDeviceGetCudaComputeCapability": lambda it: it.capability,
            "nvmlDeviceGetMaxPcieLinkGeneration": lambda it: it.generation,
            "nvmlDeviceGetMaxPcieLinkWidth": lambda it: it.width,
            "nvmlDeviceGetCurrPcieLinkWidth": lambda it: it.current,
            "nvmlDeviceGetPciInfo": lambda it: SimpleNamespace(busId=it.bus),
            "nvmlDeviceGetUUID": lambda it: it.uuid,
            "nvmlDeviceGetSerial": lambda it: it.serial,
        }
        if name not in parts:
            raise AttributeError(name)

        def ask(it):
            if getattr(it, "lost", False):
                raise NVMLError(LOST, "GPU is lost")
            return parts[name](it)

        return ask

    def nvmlDeviceGetCount(self):
        return len(self.gpus)

    def nvmlSystemGetDriverVersion(self):
        return self.driver

    def nvmlSystemGetCudaDriverVersion(self):
        return self.cuda

    def nvmlDeviceGetHandleByIndex(self, index):
        if self.gpus[index] is None:
            raise NVMLError(UNKNOWN, "Unknown Error")
        return self.gpus[index]

    def nvmlDeviceGetNvLinkState(self, it, link):
        if it.lost:
            raise NVMLError(LOST, "GPU is lost")
        if link >= it.links:
            raise NVMLError(NOT_SUPPORTED, "Not Supported")
        return 1

    def nvmlDeviceGetMigMode(self, it):
        if it.mig is None:
            raise NVMLError(NOT_SUPPORTED, "Not Supported")
        return [it.mig, it.mig]

    def nvmlDeviceGetMaxMigDeviceCount(self, it):
        return 7

    def nvmlDeviceGetMigDeviceHandleByIndex(self, it, number):
        if number >= len(it.instances):
            raise NVMLError(6, "Not Found")
        return it.instances[number]
