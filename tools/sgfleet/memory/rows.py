"""Bytes of one token in one layer on one rank: as a release budgets them, as its pool has them, as a host pool has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.memory.era import from_release
from sgfleet.memory.eras import DSA_ROW_BUDGETED, INDEX_KEYS, INDEX_KEYS_SHARED, VALUE_ROWS
from sgfleet.model.kv import kv_heads_per_rank
from sgfleet.model.layer import Attention, LatentAttention

if TYPE_CHECKING:
    from sgfleet.memory.resolve import Resolved
    from sgfleet.memory.settings import Settings
    from sgfleet.model.layer import Indexer, Mixer

SCALE_GROUP: Final = 16
"""FP4 rows have one byte of scale for this many elements."""
MX_GROUP: Final = 32
INDEX_GROUP: Final = 128
"""DSA index keys have one float32 scale for this many elements."""


def row_bytes(mixer: Mixer | None, settings: Settings, resolved: Resolved, *, budget: bool) -> int:
    """K and V of one token (MLA: the latent row) in one layer, without index keys.

    `budget` gives what the release divides by, which is not always what its pool allocates.
    """
    match mixer:
        case Attention(shares_kv=False):
            heads = kv_heads_per_rank(mixer.kv_heads, settings.attention_tp)
            wide = VALUE_ROWS.at(settings.release)
            elements = heads * (mixer.head_dim + (mixer.v_head_dim if wide else mixer.head_dim))
            return _stored(elements, resolved, scales=heads * mixer.head_dim * 2)
        case LatentAttention():
            return _latent_row(mixer, settings, resolved, budget=budget)
        case _:
            return 0


def _latent_row(mixer: LatentAttention, settings: Settings, resolved: Resolved, *, budget: bool) -> int:
    width = mixer.kv_lora_rank + mixer.qk_rope_head_dim
    scaled = mixer.indexer is not None and not resolved.sparse_rows_plain
    if scaled and (not budget or DSA_ROW_BUDGETED.at(settings.release)):
        return mixer.kv_lora_rank + mixer.kv_lora_rank // INDEX_GROUP * 4 + 2 * mixer.qk_rope_head_dim
    if resolved.is_fp4:
        return width // 2 + width // SCALE_GROUP
    return width * resolved.element_bytes


def _stored(elements: int, resolved: Resolved, *, scales: int) -> int:
    if resolved.is_fp4:
        return elements // 2 + scales // SCALE_GROUP
    if resolved.kv_dtype == "mxfp8":
        return elements + elements // MX_GROUP
    return elements * resolved.element_bytes


def index_bytes(mixer: Mixer | None, settings: Settings, resolved: Resolved, *, budget: bool) -> int:
    """Index keys of one token in one layer; 0 where the layer, or the release, keeps none."""
    indexer = mixer.indexer if isinstance(mixer, Attention | LatentAttention) else None
    if indexer is None:
        return 0
    if isinstance(mixer, Attention):
        return indexer.head_dim * (2 if indexer.stores_values else 1) * resolved.element_bytes
    if budget and not INDEX_KEYS.at(settings.release):
        return 0
    if not indexer.own and INDEX_KEYS_SHARED.at(settings.release):
        return 0
    return index_key_bytes(indexer)


def index_key_bytes(indexer: Indexer) -> int:
    """One DSA index key with its scales: FP8 elements, float32 scales."""
    return indexer.head_dim + indexer.head_dim // INDEX_GROUP * 4


def host_row_bytes(mixer: Mixer | None, settings: Settings, resolved: Resolved) -> int:
    """One token's row in a host pool. Before 0.5.15 a host pool of K and V has two rows of head_dim."""
    if isinstance(mixer, Attention) and not mixer.shares_kv and not from_release(settings.release, "0.5.15"):
        heads = kv_heads_per_rank(mixer.kv_heads, settings.attention_tp)
        return _stored(heads * 2 * mixer.head_dim, resolved, scales=heads * mixer.head_dim * 2)
    if isinstance(mixer, LatentAttention) and not from_release(settings.release, "0.5.9"):
        return (mixer.kv_lora_rank + mixer.qk_rope_head_dim) * resolved.element_bytes
    return row_bytes(mixer, settings, resolved, budget=False)
