"""What prefill chunks and decode graphs are given: with less of it, more is left for KV rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.memory.fraction import batches
from sgfleet.options.move import Move, Ruled
from sgfleet.options.requests import requests_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.options.situation import Situation

CHUNK: Final = "chunked-prefill-size"
_SMALLEST_CHUNK: Final = 2048
_GRAPH_SIZES: Final = (8, 16, 32, 64, 128, 256)


def moves(now: Situation) -> Iterator[Move | Ruled]:
    """Half the chunk; graphs for as many requests as run at once."""
    chunk = chunk_move(now)
    yield chunk or Ruled("smaller prefill chunks", _why_no_chunk(now))
    graphs = graph_move(now)
    if graphs is not None:
        yield graphs


def chunk_move(now: Situation) -> Move | None:
    """Half the chunk, in whole pages; None where it is small already or prefill is not cut."""
    page = now.budget.resolved.page_size
    chunk = _chunk(now)
    half = chunk // 2 // page * page
    if half < _SMALLEST_CHUNK or now.settings.disaggregation == "decode":
        return None
    cost = f"a long prompt is read in steps of {half:,} tokens instead of {chunk:,}: its first token comes later"
    return Move("chunk", f"chunk {half}", {CHUNK: half}, costs=(cost,))


def graph_move(now: Situation) -> Move | None:
    """Room for graphs up to the requests that run at once; None where the default fraction keeps no more than that.

    No release captures graphs for more requests than can run: what is gained is the reserve that was kept for them.
    """
    name = now.flag("cuda-graph-max-bs-decode", "cuda-graph-max-bs")
    requests = requests_of(now)
    if name is None or not now.settings.graphs.decode or requests is None or now.budget.fraction.asked:
        return None
    batch = batches(now.settings, now.service.hardware).graph_batch
    size = next((size for size in _GRAPH_SIZES if size >= requests), None)
    if size is None or size >= batch:
        return None
    cost = f"none while {requests} requests are the most that run: the default keeps room for graphs of {batch}"
    return Move("graphs", f"graphs up to {size}", {name: size}, costs=(cost,))


def _chunk(now: Situation) -> int:
    return batches(now.settings, now.service.hardware).chunk_tokens


def _why_no_chunk(now: Situation) -> str:
    if now.settings.disaggregation == "decode":
        return "this service does no prefill"
    chunk = _chunk(now)
    return "chunks are off" if chunk <= 0 else f"they are {chunk:,} tokens, and half of it slows prefill down"
