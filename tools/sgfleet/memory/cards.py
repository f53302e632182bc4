"""Cards by name, for logs that name one and do not say how much memory it has. A host's own facts always go before.

`cards.json` has name -> memory in MiB, compute capability, and where each of the two is from (`SOURCES`).
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from sgfleet.memory.hardware import Hardware, parse_capability

SOURCES: Final = {
    "corpus": "a machine of this project's own corpus, as its tools printed it",
    "nvidia-smi": "the total that nvidia-smi prints for the card, in output that several owners of one have published",
    "nvidia": "NVIDIA's public table of compute capabilities, read in 2026 (developer.nvidia.com/cuda-gpus)",
    "sglang": "the packages of SGLang: 0.5.23, sglang/kernels/ops/lplb/shmem_budget.py",
    "unknown": "nobody wrote down where it is from",
}
"""Where figures of cards.json are from."""

_FILE: Final = Path(__file__).with_name("cards.json")
_NOISE: Final = frozenset(
    {"nvidia", "geforce", "gpu", "tesla", "server", "workstation", "edition", "sxm", "pcie", "hbm3"}
)
_TOLERANCE: Final = 0.06
_PROFILE: Final = re.compile(r"(?<![a-z0-9])[0-9]{1,2}g\.([0-9]{1,3})gb", re.IGNORECASE)
"""A profile of MIG, wherever it stands: CUDA calls an instance "NVIDIA H100 80GB HBM3 MIG 1g.10gb"."""
_VIRTUAL: Final = re.compile(r"-([0-9]{1,3})[ABCQ]$")
"""How names of virtual GPUs end: "NVIDIA L40S-8Q" has 8 GiB of the card; a 0 is half a GiB."""


def instance_mib(name: str) -> int | None:
    """What a profile of MIG in a name says that the instance has, MiB; None where there is none. Profiles count GB."""
    found = _PROFILE.search(name)
    return int(found[1]) * 1000**3 // 1024**2 or None if found is not None else None


def virtual_mib(name: str) -> int | None:
    """What the name of a virtual GPU says that it has, MiB; None for any other name."""
    found = _VIRTUAL.search(name)
    return int(found[1]) * 1024 or 512 if found is not None else None


@lru_cache(maxsize=1)
def _cards() -> dict[str, tuple[int, str]]:
    read = json.loads(_FILE.read_text(encoding="utf-8"))
    return {name: (mib, capability) for name, (mib, capability, *_) in read.items()}


def words(name: str) -> set[str]:
    """What tells a card apart in its name: without the maker, the form and the edition."""
    return {
        word for word in re.findall(r"[a-z0-9]+", name.lower()) if word not in _NOISE and not word.startswith("sxm")
    }


@lru_cache(maxsize=64)
def card(name: str, count: int, memory_gib: float | None = None) -> Hardware:
    """The card that a name means, with the memory that nvidia-smi prints for it; unknown facts stay unknown.

    Of a part of a card, an instance of MIG or a virtual GPU, the memory is not the card's: it is unknown as well.
    `memory_gib` tells variants of one name apart, and stands in for a card that is not in the list.
    """
    wanted = words(name)
    likely = [
        (mib, capability)
        for known, (mib, capability) in _cards().items()
        if (own := words(known)) and ({*own} - {"80gb", "96gb", "40gb"} <= wanted)
    ]
    if memory_gib is not None:
        likely = [each for each in likely if abs(each[0] / 1024 / memory_gib - 1) <= _TOLERANCE]
    elif len(likely) > 1:
        named = [each for known, each in _cards().items() if words(known) <= wanted and each in likely]
        likely = named or likely[:1]
    if likely:
        mib, capability = likely[0]
        is_part = memory_gib is None and (instance_mib(name) or virtual_mib(name)) is not None
        return Hardware(name, count, None if is_part else mib, parse_capability(capability))
    return Hardware(name, count, None if memory_gib is None else int(memory_gib * 1024))
