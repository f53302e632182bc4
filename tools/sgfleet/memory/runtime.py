"""What runs outside the static fraction: graphs, activations, the workspaces of libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.memory.fraction import batches
from sgfleet.memory.state import SPECULATIVE_REQUESTS
from sgfleet.memory.units import MIB
from sgfleet.model.layer import Mlp, Moe

if TYPE_CHECKING:
    from sgfleet.memory.hardware import Hardware
    from sgfleet.memory.settings import Settings
    from sgfleet.model.shape import ModelShape

WORKSPACE_BYTES: Final = 512 * MIB
"""Attention and matrix libraries, and what their allocators hold on to."""
GRAPH_BASE_BYTES: Final = 64 * MIB
GRAPH_BATCH_BYTES: Final = 4 * MIB
"""Decode graphs: a constant, and for each request of the largest batch."""
REQUESTS_PER_CONTEXT: Final = 512
FEWEST_REQUESTS: Final = 2048
MOST_REQUESTS: Final = 4096
POSITIONS_MORE: Final = 4
"""How releases choose --max-running-requests where it is not given, and the width of their table."""
ERROR: Final = 0.5
"""Relative error: these are rules of thumb, and the one part of a budget that nothing else pins down."""


def graph_bytes(settings: Settings, hardware: Hardware) -> int:
    """Memory of captured decode graphs on a rank."""
    if not settings.graphs.decode or settings.disaggregation == "prefill":
        return 0
    return GRAPH_BASE_BYTES + GRAPH_BATCH_BYTES * batches(settings, hardware).graph_batch


def activation_bytes(settings: Settings, shape: ModelShape, hardware: Hardware) -> int:
    """The working set of one prefill chunk on a rank, with the logits of one decode batch."""
    sizes = batches(settings, hardware)
    chunk = sizes.chunk_tokens if sizes.chunk_tokens > 0 else settings.max_prefill_tokens
    width = 6 * shape.hidden_size * shape.residual_streams + _widest(shape, settings)
    logits = sizes.graph_batch * shape.vocab_size * 4
    return chunk * width * 2 + logits


def _widest(shape: ModelShape, settings: Settings) -> int:
    """Elements a token of the widest feed-forward block on a rank."""
    widths = [0]
    for layer in set(shape.layers):
        match layer.mlp:
            case Mlp():
                widths.append(2 * layer.mlp.intermediate_size // settings.tp)
            case Moe():
                routed = (
                    layer.mlp.experts_per_token * 2 * layer.mlp.intermediate_size // max(1, settings.tp // settings.ep)
                )
                widths.append(routed // settings.ep + layer.mlp.experts_per_token * shape.hidden_size // settings.ep)
            case None:
                pass
    return max(widths)


def request_table_bytes(settings: Settings, shape: ModelShape, tokens: int) -> int:
    """The table that leads from requests to their tokens: an int32 for each position of each request.

    Long contexts make it large: 2,048 requests of 262,144 tokens take 2 GiB.
    """
    context = settings.context_length or shape.context_length
    if not context or not tokens:
        return 0
    if settings.max_running_requests is not None:
        requests = max(1, settings.max_running_requests // settings.attention_dp)
    elif settings.speculative is not None:
        requests = SPECULATIVE_REQUESTS
    else:
        requests = min(max(tokens * REQUESTS_PER_CONTEXT // context, FEWEST_REQUESTS), MOST_REQUESTS)
    return 4 * requests * (context + POSITIONS_MORE)


def needed_bytes(settings: Settings, shape: ModelShape, hardware: Hardware) -> int:
    """All of it: what must stay free beside weights and pools."""
    return WORKSPACE_BYTES + graph_bytes(settings, hardware) + activation_bytes(settings, shape, hardware)
