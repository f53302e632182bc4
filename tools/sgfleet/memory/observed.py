"""What a start of a service said about memory, and what it tells about the next start with other settings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Observed:
    """Figures of one start; None where the log did not say. GiB as the log prints them (it says GB).

    `release` is the one that ran; None where that is not known. `fraction` is the memory fraction as it was resolved.
    """

    release: str | None = None
    kv_tokens: int | None = None
    free_before_gib: float | None = None
    weights_gib: float | None = None
    draft_weights_gib: float | None = None
    fraction: float | None = None
