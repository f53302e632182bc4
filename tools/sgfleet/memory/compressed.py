"""DeepSeek V4's pools: one latent row for several tokens, a window of plain rows, and states of the compressors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.memory.rows import index_key_bytes
from sgfleet.model.layer import CompressedAttention

if TYPE_CHECKING:
    from sgfleet.memory.settings import Settings
    from sgfleet.model.layer import Layer

WINDOW_RATIO: Final = 0.1
"""Window rows for each token: what releases take for this family where --swa-full-tokens-ratio has its default."""
DEFAULT_RATIO: Final = 0.8
FLOAT32: Final = 4
COARSE: Final = 128
FINE: Final = 4


def compressed_cell_bytes(layers: tuple[Layer, ...], settings: Settings, *, draft: bool) -> float:
    """Bytes a token on a rank, by the rule of 0.5.12 to 0.5.20; 0.0 for other models.

    FP8 rows: the latent's elements, two bytes for each rotary one, 8 bytes of scales.
    """
    mixers = [layer.mixer for layer in layers if isinstance(layer.mixer, CompressedAttention)]
    if not mixers:
        return 0.0
    first = mixers[0]
    row = first.head_dim - first.rope_head_dim + 2 * first.rope_head_dim + 8
    window = WINDOW_RATIO if settings.sliding_ratio == DEFAULT_RATIO else settings.sliding_ratio
    fine = [mixer for mixer in mixers if mixer.ratio == FINE]
    coarse = [mixer for mixer in mixers if mixer.ratio == COARSE]
    speculating = settings.speculative is not None
    fine_ring, coarse_ring = (16, 256) if speculating else (8, 128)
    index = sum(index_key_bytes(mixer.indexer) for mixer in fine if mixer.indexer is not None)
    index_state = sum(4 * mixer.indexer.head_dim * FLOAT32 for mixer in fine if mixer.indexer is not None)
    total = window * row * len(mixers)
    total += row * (len(fine) / FINE + len(coarse) / COARSE) + index / FINE
    total += window * fine_ring / first.window * (4 * first.head_dim * FLOAT32 * len(fine) + index_state)
    total += window * coarse_ring / first.window * 2 * first.head_dim * FLOAT32 * len(coarse)
    return total * (len(mixers) + 1) / len(mixers) if draft and speculating else total
