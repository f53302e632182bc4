"""What a start of a service said about memory, and what it tells about the next start with other settings."""

from __future__ import annotations

from typing import NamedTuple


class Observed(NamedTuple):
    """Figures of one start; None where the log did not say. GiB as the log prints them (it says GB).

    `release` is the one that ran; None where that is not known. `fraction` is the memory fraction as it was resolved,
    `free_after_gib` what was free after all allocations on the GPU that has least.

    `calibrated_at` is set where `weights_gib` was worked out from the KV tokens of a start with this fraction: the
    error of the free memory then cancels out. `unaccounted_bytes` is what that start took beside all that is counted;
    `unexplained_bytes` is how much more (or less) its KV pool had than its fraction gives, where no weights that the
    checkpoint could have make it up: its fraction was another one, most likely.
    """

    release: str | None = None
    kv_tokens: int | None = None
    free_before_gib: float | None = None
    weights_gib: float | None = None
    draft_weights_gib: float | None = None
    fraction: float | None = None
    free_after_gib: float | None = None
    calibrated_at: float | None = None
    unaccounted_bytes: int = 0
    unexplained_bytes: int = 0
