"""What a token, and what a request, keeps on one rank in one layer: elements, before any KV dtype.

Rules of the releases that decide the rest (which dtype, which pools, index keys, padding) are not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.model.layer import Attention, CompressedAttention, LatentAttention

if TYPE_CHECKING:
    from sgfleet.model.layer import Layer, LinearAttention, Mixer


def kv_heads_per_rank(kv_heads: int, attention_tp: int) -> int:
    """KV heads on a rank: divided, or one head copied where there are more ranks than heads."""
    return max(1, kv_heads // attention_tp)


def kv_elements(mixer: Mixer | None, attention_tp: int) -> int:
    """Elements of one KV row on a rank, K and V together; index keys are not counted.

    A row is a token's, but for CompressedAttention, where it stands for `ratio` tokens. Latent and compressed rows
    are whole on every rank. 0 for a layer that stores none.
    """
    match mixer:
        case Attention(shares_kv=False):
            return kv_heads_per_rank(mixer.kv_heads, attention_tp) * (mixer.head_dim + mixer.v_head_dim)
        case LatentAttention():
            return mixer.kv_lora_rank + mixer.qk_rope_head_dim
        case CompressedAttention():
            return mixer.head_dim
        case _:
            return 0


def conv_channels(mixer: LinearAttention) -> int:
    """Channels that pass through the short convolution, whole: queries, keys and values (mamba: x, B and C)."""
    values = mixer.v_heads * mixer.v_head_dim
    if mixer.form == "shortconv":
        return values
    return values + 2 * mixer.k_heads * mixer.k_head_dim


def state_elements(mixer: LinearAttention, attention_tp: int) -> tuple[int, int]:
    """Elements that a request keeps on a rank in one layer: (convolution, recurrent).

    Groups that do not divide by the ranks are copied, as mamba's are. The two have dtypes of their own: the
    convolution's is bfloat16 unless the environment of the service says otherwise, the other is `mixer.state_dtype`.
    """
    groups = mixer.k_heads
    if groups % attention_tp:
        groups = attention_tp
    channels = mixer.v_heads * mixer.v_head_dim
    if mixer.form != "shortconv":
        channels += 2 * groups * mixer.k_head_dim
    recurrent = 0 if mixer.form == "shortconv" else mixer.v_heads // attention_tp * mixer.v_head_dim * mixer.k_head_dim
    return channels // attention_tp * (mixer.conv_kernel - 1), recurrent


def state_layers(layers: tuple[Layer, ...]) -> tuple[LinearAttention, ...]:
    """The linear mixers among these layers, one a layer."""
    return tuple(layer.state for layer in layers if layer.state is not None)
