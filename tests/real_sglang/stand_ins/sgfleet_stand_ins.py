"""Loaded by a .pth file at the start of the release's Python: what a machine without a GPU lacks.

torchvision's operators are declared (never called), and host pools are pinned with mlock in place of cudaHostRegister.
Each pool that is pinned is said in a line of its own, with its bytes.
"""

import ctypes
import os
import sys


def _torchvision():
    import torch

    library = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    return library


class _Runtime:
    """The calls of the CUDA runtime that a host pool makes."""

    def __init__(self):
        self.libc = ctypes.CDLL(None, use_errno=True)

    def cudaHostRegister(self, address, size, _flags):  # noqa: N802 - CUDA's name
        failed = self.libc.mlock(ctypes.c_void_p(address), ctypes.c_size_t(size))
        said = os.strerror(ctypes.get_errno()) if failed else "ok"
        print(f"stand-in: mlock of {size} bytes: {said}", flush=True)
        return int(bool(failed))

    def cudaHostUnregister(self, _address):  # noqa: N802 - CUDA's name
        return 0

    def cudaGetErrorString(self, _code):  # noqa: N802 - CUDA's name
        return "mlock failed"


def _pinning():
    import torch

    torch.cuda.cudart = _Runtime
    return _Runtime


class _Finder:
    """Runs a preparation just before a module is first imported; finds nothing itself."""

    def __init__(self):
        self.before = {"torchvision": _torchvision}
        if os.environ.get("SGFLEET_PIN_WITH_MLOCK"):
            self.before["sglang.srt.mem_cache.memory_pool_host"] = _pinning
            self.before["sglang.srt.mem_cache.pool_host.common"] = _pinning
        self.kept = []

    def find_spec(self, name, path=None, target=None):
        if name in self.before:
            self.kept.append(self.before.pop(name)())


sys.meta_path.insert(0, _Finder())
