"""The GPUs of a host as far as memory is concerned."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sgfleet.memory.units import MIB

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgfleet.spec.models.facts import Gpu

DATA_CENTRE: Final = frozenset({(8, 0), (9, 0), (10, 0), (10, 3)})
"""Compute capabilities of cards that are linked with NVLink in the machines they are sold in."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """One kind of GPU, `count` of them. Unknown facts are None.

    `memory_mib` is the total as nvidia-smi prints it, of the card that has least. `nvlink`: they are linked.
    `divided` names those that MIG divides: no process has such a GPU as a whole, so its memory is not known.
    """

    name: str | None = None
    count: int = 1
    memory_mib: int | None = None
    capability: tuple[int, int] | None = None
    nvlink: bool | None = None
    divided: tuple[int, ...] = ()

    @property
    def memory_bytes(self) -> int | None:
        """Total memory of a card."""
        return None if self.memory_mib is None else self.memory_mib * MIB

    @property
    def major(self) -> int | None:
        """Major compute capability: 9 Hopper, 10 and 12 Blackwell."""
        return None if self.capability is None else self.capability[0]

    @property
    def is_linked(self) -> bool:
        """NVLink between the cards: their collectives take more memory."""
        return self.capability in DATA_CENTRE if self.nvlink is None else self.nvlink


def cards_words(gpus: Sequence[Gpu], *, memory: bool = True) -> str:
    """GPUs kind by kind: "3 × NVIDIA L40S, 46,068 MiB each, and 1 × NVIDIA L4, 23,034 MiB"."""
    if not gpus:
        return "nothing is known of its GPUs"
    kinds = Counter((gpu.name, gpu.memory_mib if memory else None) for gpu in gpus).most_common()
    said = (", and " if memory else " and ").join(
        f"{count} × {name}" + (f", {size:,} MiB{' each' if count > 1 else ''}" if size else "")
        for (name, size), count in kinds
    )
    divided = [str(gpu.index) for gpu in gpus if gpu.mig]
    return f"{said}, GPU {' and '.join(divided)} divided by MIG" if divided and memory else said


def why_unknown(hardware: Hardware) -> tuple[str, str]:
    """Why the memory of these GPUs is not known, and what to do about it."""
    if not hardware.divided:
        return "the memory of the GPU is not known", "run sgfleet facts on the host"
    which, several = " and ".join(map(str, hardware.divided)), len(hardware.divided) > 1
    subject = f"GPUs {which} are" if several else f"GPU {which} is"
    return (
        f"{subject} divided by MIG, and which instance the service gets is not known",
        "what an observed start found free is taken, where mem-fraction-static is set: sgfleet observe",
    )


def parse_capability(text: str | None) -> tuple[int, int] | None:
    """ "12.0" -> (12, 0)."""
    if not text:
        return None
    major, _, minor = text.partition(".")
    return int(major), int(minor or 0)
