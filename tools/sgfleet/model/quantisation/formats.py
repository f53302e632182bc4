"""The ways in which weights are packed, with what their scales cost."""

from __future__ import annotations

from sgfleet.model.shape import Storage

FP8 = Storage("fp8", bits=8)
"""One scale for a tensor, or one for each output row."""
INT8 = Storage("int8", bits=8)
NVFP4 = Storage("nvfp4", bits=4, scale_bits=8, group_size=16)
MXFP4 = Storage("mxfp4", bits=4, scale_bits=8, group_size=32)
MXFP8 = Storage("mxfp8", bits=8, scale_bits=8, group_size=32)


def fp8_block(rows: int, columns: int) -> Storage:
    """FP8 with a float32 scale for each tile."""
    return Storage("fp8", bits=8, scale_bits=32, block=(rows, columns))


def integer(bits: int, group_size: int | None, *, zero_points: bool = False) -> Storage:
    """Integers in groups along the input with a 16-bit scale each; no group size is one group a row."""
    return Storage(f"int{bits}", bits=bits, scale_bits=16, group_size=group_size, zero_points=zero_points)
