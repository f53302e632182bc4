"""Weights that --cpu-offload-gb moves into RAM: how much of it they pin at the least."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sgfleet.memory.service import Service

WRAPPED: Final = frozenset(
    {"LlamaForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM", "Qwen3MoeForCausalLM", "GptOssForCausalLM"}
)
"""Architectures whose layers every release that knows them makes through the function that offloads (`make_layers` in
srt/utils.py, later srt/utils/common.py, 0.4.0 to 0.5.23). Others make theirs without it in some releases, and then
nothing is moved: DeepSeek before 0.5, Mixtral before 0.4.6."""


def least_offloaded(service: Service) -> int:
    """Bytes that each rank of a service pins for sure; 0 where nothing is sure.

    Parameters of the layers are copied into pinned RAM one by one, on every rank, until the bound is reached or no
    layer is left (`OffloaderV1` in srt/utils/offloader.py, 0.5.9 and 0.5.23; srt/utils.py in 0.4.0). Embedding and head
    are no layers: both are left out whole.
    """
    bound, shape, weights = service.settings.offload_bytes, service.load.shape, service.load.weights
    if not bound or shape.architecture not in WRAPPED:
        return 0
    least = min(stage.total for stage in weights.stages)
    error = 0 if weights.exact else int(least * weights.error)
    outside = 2 * shape.vocab_size * shape.hidden_size * 2
    return max(0, min(bound, least - error - outside))
