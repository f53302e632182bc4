"""Which figures a machine can have, and what was probably meant by one that it cannot.

Only what is surely a slip counts: a figure in another unit, two figures that contradict each other. Bounds are far from
any real machine, so that none of tomorrow is called impossible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.memory.units import GB, GIB, MIB

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LEAST_BYTES: Final = 64 * MIB
"""No Linux with systemd and Python lives with less RAM."""
MOST_BYTES: Final = 2**47
"""128 TiB: twice what the largest machines take."""
GPU_SHARE: Final = 256
"""A host has more RAM than this part of its GPUs' memory, by far: the libraries of one rank alone take a GiB or two."""

BYTES: Final = (("GiB", GIB), ("GB", GB), ("MiB", MIB), ("kB", 1024), ("TiB", 1024 * GIB))
"""What people write where bytes are asked; the kernel's kB are 1024 bytes."""
GB_FIRST: Final = (("GB", GB), *BYTES)
"""The same for files, which people count in GB."""


def least_ram_bytes(gpus_mib: Iterable[int | None]) -> int:
    """What the RAM of a host with these GPUs surely reaches."""
    sizes = list(gpus_mib)
    if not sizes:
        return LEAST_BYTES
    return max(GIB, sum(size or 0 for size in sizes) * MIB // GPU_SHARE)


def meant(figure: float, units: Iterable[tuple[str, float]], fits: Callable[[float], bool]) -> tuple[str, float] | None:
    """The first unit in which the figure would fit, and what it then is."""
    return next(((unit, figure * size) for unit, size in units if fits(figure * size)), None)
