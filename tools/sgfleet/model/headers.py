"""The header of a safetensors file: names, types and places of its tensors, without a byte of their data.

The format: 8 bytes (little endian) with the length of a JSON object, the object, then the data. A file from nobody
knows where may claim anything, so every number is checked before it is used.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import prod
from typing import Final

from sgfleet.model.problem import ModelError

LENGTH_BYTES: Final = 8
MOST_HEADER_BYTES: Final = 100_000_000
"""The format's own limit."""
MOST_DIMENSIONS: Final = 16
BITS: Final = {
    "BOOL": 8,
    "F4": 4,
    "F6_E2M3": 6,
    "F6_E3M2": 6,
    "U8": 8,
    "I8": 8,
    "F8_E4M3": 8,
    "F8_E5M2": 8,
    "F8_E8M0": 8,
    "U16": 16,
    "I16": 16,
    "F16": 16,
    "BF16": 16,
    "U32": 32,
    "I32": 32,
    "F32": 32,
    "U64": 64,
    "I64": 64,
    "F64": 64,
    "C64": 64,
}
"""Bits of an element, by the format's name for its type."""
REMEDY: Final = "download this file again; an interrupted download leaves such files"


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor of a checkpoint."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int


def header_length(start: bytes, file_bytes: int, file: str) -> int:
    """Length of the JSON object that follows the first 8 bytes.

    Raises:
        ModelError: The file is too short, or the length is not one that fits it.
    """
    if len(start) < LENGTH_BYTES:
        raise ModelError(f"is {file_bytes} bytes long, too short for a safetensors file", file=file, help=REMEDY)
    length = int.from_bytes(start[:LENGTH_BYTES], "little")
    if not 2 <= length <= min(MOST_HEADER_BYTES, file_bytes - LENGTH_BYTES):
        message = f"says that its header has {length} bytes; the file has {file_bytes}"
        raise ModelError(message, file=file, help=REMEDY)
    return length


def read_header(header: bytes, data_bytes: int, file: str) -> tuple[Tensor, ...]:
    """The tensors that a header lists, `data_bytes` being what lies behind it.

    Raises:
        ModelError: The header is not what the format asks for, or does not fit the data.
    """
    try:
        listed = json.loads(header)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"has a header that is not JSON: {error}", file=file, help=REMEDY) from error
    if not isinstance(listed, dict):
        raise ModelError("has a header that is not a JSON object", file=file, help=REMEDY)
    tensors = tuple(_tensor(name, entry, data_bytes, file) for name, entry in listed.items() if name != "__metadata__")
    total = sum(tensor.bytes for tensor in tensors)
    if total > data_bytes:
        message = f"lists tensors of {total} bytes; behind the header are {data_bytes}"
        raise ModelError(message, file=file, help=REMEDY)
    return tensors


def _tensor(name: str, entry: object, data_bytes: int, file: str) -> Tensor:
    values = entry if isinstance(entry, dict) else {}
    dtype, shape, offsets = values.get("dtype"), _whole(values.get("shape")), _whole(values.get("data_offsets"))
    if not isinstance(dtype, str) or shape is None or offsets is None or len(offsets) != 2:
        message = f"has no usable dtype, shape and data_offsets for {_short(name)}"
        raise ModelError(message, file=file, help=REMEDY)
    begin, end = offsets
    if not begin <= end <= data_bytes:
        message = f"places {_short(name)} at {begin} to {end}; there are {data_bytes} bytes of data"
        raise ModelError(message, file=file, help=REMEDY)
    bits = BITS.get(dtype)
    if bits is not None and -(-prod(shape) * bits // 8) != end - begin:
        message = f"gives {_short(name)} {end - begin} bytes; its shape and type need {-(-prod(shape) * bits // 8)}"
        raise ModelError(message, file=file, help=REMEDY)
    return Tensor(name, dtype, shape, end - begin)


def _whole(value: object) -> tuple[int, ...] | None:
    """A short list of whole numbers of at least 0, None for anything else."""
    if not isinstance(value, list) or len(value) > MOST_DIMENSIONS:
        return None
    fits = all(isinstance(item, int) and not isinstance(item, bool) and 0 <= item < 2**63 for item in value)
    return tuple(value) if fits else None


def _short(name: str) -> str:
    """A tensor's name for a message."""
    return ascii(name if len(name) <= 80 else f"{name[:77]}...")
