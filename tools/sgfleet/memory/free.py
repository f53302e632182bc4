"""Free memory of a GPU before weights are loaded: the base of every figure on the device side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.memory.amount import Amount
from sgfleet.memory.units import GIB, MIB, gib

if TYPE_CHECKING:
    from sgfleet.memory.hardware import Hardware

CONTEXT_BYTES: Final = 700 * MIB
"""The CUDA context of one process."""
HIDDEN_SHARE: Final = 0.008
"""The part of what nvidia-smi calls total that no program can have (page tables, ECC)."""
PEER_BYTES: Final = 180 * MIB
PEER_BYTES_PCIE: Final = 64 * MIB
"""Buffers of collectives for each other rank of a tensor-parallel group, on NVLink cards and on others."""
ERROR: Final = 0.012
"""Error of the estimate, of the card's total; measured on logs of RTX 3090, RTX PRO 6000, H100, H200 and B200."""


def overhead_bytes(hardware: Hardware, ranks: int) -> int | None:
    """What context, driver and collectives take on each GPU; None where the card is unknown."""
    total = hardware.memory_bytes
    if total is None:
        return None
    peer = PEER_BYTES if hardware.is_linked else PEER_BYTES_PCIE
    return CONTEXT_BYTES + int(total * HIDDEN_SHARE) + peer * max(0, ranks - 1)


def free_before(hardware: Hardware, ranks: int, measured_gib: float | None = None) -> Amount | None:
    """Free memory before weights on the GPU that has least: as it was measured, or the card less the overhead."""
    if measured_gib is not None:
        return Amount(int(measured_gib * GIB), "measured", GIB // 200, "start-up log")
    total, overhead = hardware.memory_bytes, overhead_bytes(hardware, ranks)
    if total is None or overhead is None:
        return None
    return Amount(max(0, total - overhead), "estimated", int(total * ERROR), f"{hardware.memory_mib} MiB less overhead")


def nothing_free(hardware: Hardware, ranks: int, measured_gib: float | None = None) -> tuple[str, str]:
    """Why nothing is free before the weights, and what to do about it: for whoever found that `free_before` is 0."""
    total, overhead = hardware.memory_bytes, overhead_bytes(hardware, ranks)
    if measured_gib is not None or total is None or overhead is None:
        said = f"an observed start says that {measured_gib or 0:.2f} GiB of a GPU were free before the weights"
        return said, "put free-before-gib-min right, or run sgfleet observe again"
    alone = overhead_bytes(hardware, 1) or 0
    said = f"{hardware.memory_mib:,} MiB of GPU memory are less than the {gib(overhead)} that context and collectives"
    said += f" of {ranks:,} ranks take" if ranks > 1 else " take"
    if alone < total:
        return (
            said,
            f"fewer ranks: one takes {gib(alone)}, and each further one {gib((overhead - alone) / (ranks - 1))}",
        )
    return said, "memory-mib is in MiB, as nvidia-smi prints it: run sgfleet facts on the host"
