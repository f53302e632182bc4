"""State of linear layers: what a request keeps on a rank, and how many slots for it a release allocates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sgfleet.memory.eras import MAMBA
from sgfleet.memory.resolve import ELEMENT_BYTES
from sgfleet.model.kv import state_elements, state_layers

if TYPE_CHECKING:
    from sgfleet.memory.settings import Settings
    from sgfleet.model.layer import Layer

CONV_BYTES: Final = 2
DEFAULT_REQUESTS: Final = 512
"""Slots of the first releases, where nothing else is said."""
SPECULATIVE_REQUESTS: Final = 48
"""--max-running-requests with speculative decoding, where it is not given."""
SLOTS_PER_REQUEST: Final = 3
"""Slots that a release keeps for each running request beside the radix cache's."""


@dataclass(frozen=True, slots=True)
class StateSlots:
    """`count` slots of `slot_bytes` each; `allocated_bytes` with a padding slot and the copies for draft tokens.

    `taken_bytes` is what the release subtracts from the memory that the KV pool may have: without the padding slot,
    which it allocates all the same, before 0.5.17.
    """

    count: int
    slot_bytes: int
    allocated_bytes: int
    taken_bytes: int


def state_bytes(layers: tuple[Layer, ...], settings: Settings) -> int:
    """Bytes that one request's state takes on a rank of a stage with these layers."""
    total = 0
    for mixer in state_layers(layers):
        convolution, recurrent = state_elements(mixer, settings.attention_tp)
        dtype = settings.mamba_dtype or mixer.state_dtype or "float32"
        total += convolution * CONV_BYTES + recurrent * ELEMENT_BYTES.get(dtype, 4)
    return total


def state_slots(rest_bytes: int, slot_bytes: int, settings: Settings) -> StateSlots:
    """Split what is left after the weights between states and KV rows, as the release does."""
    form = MAMBA.at(settings.release)
    if not slot_bytes or form == "none":
        return StateSlots(0, slot_bytes, 0, 0)
    requests = _requests(settings)
    if form == "slots":
        wanted = settings.mamba_slots or settings.max_running_requests or DEFAULT_REQUESTS
        return StateSlots(wanted, slot_bytes, (wanted + 1) * slot_bytes, wanted * slot_bytes)
    draft = (settings.speculative.draft_tokens or 0) if settings.speculative is not None else 0
    padding = 1 if form == "padded" else 0
    asked, by_requests = _asked(settings)
    count = _by_ratio(rest_bytes, slot_bytes, settings, draft, requests, form) if asked is None else asked
    running = count if by_requests else min(requests, count // _per_request(settings))
    copies = (requests if form == "ratio" else running + padding) * draft * slot_bytes
    taken = (count + padding) * slot_bytes + copies
    return StateSlots(count, slot_bytes, taken + (1 - padding) * slot_bytes, taken)


def _requests(settings: Settings) -> int:
    default = SPECULATIVE_REQUESTS if settings.speculative is not None else DEFAULT_REQUESTS
    return max(1, (settings.max_running_requests or default) // settings.attention_dp)


def _asked(settings: Settings) -> tuple[int | None, bool]:
    """(slots where flags decide their number, whether it is the number of requests)."""
    if settings.mamba_slots is not None:
        return settings.mamba_slots // settings.attention_dp, False
    if not settings.radix_cache and settings.max_running_requests is not None:
        return max(1, settings.max_running_requests // settings.attention_dp), True
    return None, False


def _per_request(settings: Settings) -> int:
    return SLOTS_PER_REQUEST if settings.radix_cache else 1


def _by_ratio(rest_bytes: int, slot_bytes: int, settings: Settings, draft: int, requests: int, form: str) -> int:
    ratio = settings.mamba_ratio / (1 + settings.mamba_ratio)
    if form == "ratio":
        return max(0, int((rest_bytes - requests * draft * slot_bytes) * ratio // slot_bytes))
    budget = rest_bytes * ratio
    padding = slot_bytes * (1 + draft) if form == "padded" else 0
    return max(0, int((budget - padding) // (slot_bytes * (1 + draft / _per_request(settings)))))
