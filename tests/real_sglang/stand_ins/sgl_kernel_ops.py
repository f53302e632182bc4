"""In place of the kernels' shared library, which needs a GPU's driver: the one copy that a start on the CPU makes."""

import torch

_LIBRARY = torch.library.Library("sgl_kernel", "FRAGMENT")
_LIBRARY.define(
    "transfer_kv_direct(Tensor[] src_layers, Tensor[] dst_layers, Tensor src_indices, Tensor dst_indices, "
    "int page_size) -> ()"
)


def _copy(src_layers, dst_layers, src_indices, dst_indices, page_size):
    for source, target in zip(src_layers, dst_layers, strict=True):
        target[dst_indices] = source[src_indices]


_LIBRARY.impl("transfer_kv_direct", _copy, "CPU")
