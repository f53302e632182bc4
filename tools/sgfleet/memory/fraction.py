"""The fraction of a GPU's free memory that weights and KV pool may take where --mem-fraction-static is not given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.memory import fraction_early
from sgfleet.memory.era import from_release
from sgfleet.memory.eras import (
    FRACTION,
    GRAPH_BATCH_BY_REQUESTS,
    MULTIMODAL_FACTOR,
    PREFILL_GRAPH,
    ROLE_AWARE,
    SMALL_CARD,
    SPECULATIVE_RESERVE_MIB,
)
from sgfleet.memory.graphs import prefill_graph
from sgfleet.memory.resolve import is_multimodal
from sgfleet.model.layer import LatentAttention

if TYPE_CHECKING:
    from sgfleet.memory.hardware import Hardware
    from sgfleet.memory.settings import Settings
    from sgfleet.model.shape import ModelShape

_TIERS: Final = ((20 * 1024, 2048, 8, 8), (60 * 1024, 4096, 32, 160), (160 * 1024, 8192, 256, 512))
"""(below MiB, chunk tokens, graph batch below TP 4, from TP 4); the tier from 20 to 35 GiB changes by release."""
_LARGEST_TIER: Final = (16384, 512, 512)
_UNKNOWN_CARD: Final = (4096, 160, 160)
_BY_TOKENS: Final = {"tokens/4": 4, "tokens/8": 8}
"""Forms of the reserve for prefill graphs that come on top of the floor: MiB for so many tokens."""
_TOWER_LAYERS: Final = 24
_TOWER_WIDTH: Final = 1024


class Fraction(NamedTuple):
    """A memory fraction, and how it came about: `asked` for, or the default of the release with its reserve.

    `reserve_mib` is what the default leaves for activations and graphs, before the factor for multimodal models.
    """

    value: float
    asked: bool = False
    reserve_mib: float | None = None
    factor: float = 1.0
    terms: tuple[tuple[str, float], ...] = ()


class Batches(NamedTuple):
    """Defaults that depend on the card: tokens of a prefill chunk, largest batch of a decode graph."""

    chunk_tokens: int
    graph_batch: int


def batches(settings: Settings, hardware: Hardware) -> Batches:
    """Chunk and graph batch, where they are not given, by the card's memory."""
    if FRACTION.at(settings.release) != "activations":
        chunk, batch = fraction_early.batches(settings, hardware.memory_mib)
    else:
        chunk, small, large = _tier(settings, hardware.memory_mib)
        batch = small if settings.tp < 4 else large
    if settings.graphs.decode_max_batch is not None:
        batch = settings.graphs.decode_max_batch
    elif GRAPH_BATCH_BY_REQUESTS.at(settings.release) and settings.max_running_requests is not None:
        batch = min(batch, settings.max_running_requests)
    asked = settings.chunked_prefill_tokens
    return Batches(chunk if asked is None else asked, batch)


def _tier(settings: Settings, memory_mib: int | None) -> tuple[int, int, int]:
    if memory_mib is None:
        return _UNKNOWN_CARD
    if 20 * 1024 <= memory_mib < 35 * 1024:
        return SMALL_CARD.at(settings.release)
    return next((tuple(rest) for below, *rest in _TIERS if memory_mib < below), _LARGEST_TIER)  # type: ignore[return-value]  # rows of four


def fraction(settings: Settings, shape: ModelShape, hardware: Hardware) -> Fraction | None:
    """The fraction that holds; None where the default depends on the card and nothing is known of it."""
    if settings.fraction is not None and not _is_forced(settings, shape):
        return Fraction(settings.fraction, asked=True)
    if _is_forced(settings, shape):
        return Fraction(0.8)
    memory_mib = hardware.memory_mib
    if memory_mib is None:
        return None
    terms: list[tuple[str, float]] = []
    reserve: float | None
    if FRACTION.at(settings.release) == "activations":
        terms = _terms(settings, shape, hardware)
        reserve = sum(mib for _, mib in terms)
        value = round((memory_mib - reserve) / memory_mib, 3)
    else:
        value, reserve = fraction_early.default(settings, memory_mib)
    factor = multimodal_factor(settings, shape)
    return Fraction(value * factor, reserve_mib=reserve, factor=factor, terms=tuple(terms))


def _is_forced(settings: Settings, shape: ModelShape) -> bool:
    """0.5.3 sets 0.8 for DSA models, whatever was asked for."""
    sparse = any(isinstance(mixer, LatentAttention) and mixer.indexer for mixer in shape.mixers)
    return settings.release == "0.5.3" and sparse


def _terms(settings: Settings, shape: ModelShape, hardware: Hardware) -> list[tuple[str, float]]:
    """What the default leaves free, MiB, by reason."""
    release = settings.release
    sizes = batches(settings, hardware)
    memory_mib = hardware.memory_mib or 0
    terms = [
        ("metadata", 512.0),
        ("activations", _activation_tokens(settings, sizes) * 1.5),
        ("parallel", settings.tp * settings.pp / 8 * 1024),
        *_graph_terms(settings, shape, sizes),
    ]
    below = 10 * 1024 - sum(mib for _, mib in terms)
    if memory_mib > 60 * 1024 and below > 0:
        terms.append(("floor of 10 GiB", below))
    if PREFILL_GRAPH.at(release) in _BY_TOKENS:
        terms += _prefill_graph_terms(settings, shape, sizes)
    if from_release(release, "0.5.15") and _counts_decode(settings) and settings.all_to_all == "deepep":
        terms.append(("DeepEP", 2048.0))
    if settings.speculative is not None and settings.speculative.has_draft_model:
        extra = SPECULATIVE_RESERVE_MIB.at(release)
        if settings.speculative.algorithm == "STANDALONE" and extra:
            extra = 6144
        if extra:
            terms.append(("draft model", float(extra)))
    return terms


def _activation_tokens(settings: Settings, sizes: Batches) -> int:
    if ROLE_AWARE.at(settings.release) and settings.disaggregation == "decode":
        draft = settings.speculative.draft_tokens if settings.speculative is not None else None
        requests = settings.max_running_requests or sizes.graph_batch or 1
        return max(requests * (draft or 1), 2048)
    return max(sizes.chunk_tokens if sizes.chunk_tokens > 0 else settings.max_prefill_tokens, 2048)


def _counts_decode(settings: Settings) -> bool:
    if not ROLE_AWARE.at(settings.release):
        return True
    return settings.disaggregation != "prefill" and settings.graphs.decode


def _graph_terms(settings: Settings, shape: ModelShape, sizes: Batches) -> list[tuple[str, float]]:
    terms: list[tuple[str, float]] = []
    batch = sizes.graph_batch
    if _counts_decode(settings):
        terms.append(("decode graphs", batch * 2.0))
    if settings.attention_dp > 1 and not (ROLE_AWARE.at(settings.release) and settings.disaggregation == "prefill"):
        terms.append(("attention groups", batch * settings.attention_dp * (4.5 if batch > 300 else 3.0)))
    if PREFILL_GRAPH.at(settings.release) not in _BY_TOKENS:
        terms += _prefill_graph_terms(settings, shape, sizes)
    return terms


def _prefill_graph_terms(settings: Settings, shape: ModelShape, sizes: Batches) -> list[tuple[str, float]]:
    graph = prefill_graph(settings, shape, sizes.chunk_tokens)
    if not graph.on:
        return []
    divisor = _BY_TOKENS.get(PREFILL_GRAPH.at(settings.release))
    if divisor is not None:
        return [("prefill graphs", float(graph.max_tokens // divisor))]
    if shape.is_latent and from_release(settings.release, "0.5.10"):
        terms = [("prefill graphs", 1536.0)]
    else:
        terms = [("prefill graphs", graph.sizes * 8.0)]
    if graph.breakable and settings.all_to_all == "deepep" and from_release(settings.release, "0.5.17"):
        terms.append(("prefill graphs with DeepEP", 1024.0))
    return terms


def multimodal_factor(settings: Settings, shape: ModelShape) -> float:
    """What the default is multiplied by because pictures need room of their own."""
    form = MULTIMODAL_FACTOR.at(settings.release)
    if form == "none" or not is_multimodal(settings, shape) or shape.vision is None:
        return 1.0
    if form == "0.9":
        return 0.9
    if settings.language_only and from_release(settings.release, "0.5.9"):
        return 1.0
    if settings.disaggregation == "decode" and from_release(settings.release, "0.5.17"):
        return 1.0
    layers = shape.vision.config_layers or _TOWER_LAYERS
    width = shape.vision.config_hidden_size or _TOWER_WIDTH
    complexity = layers * width**2 / (_TOWER_LAYERS * _TOWER_WIDTH**2)
    return 0.95 * max(0.8, min(1.05, 1.0 - 0.1 * (complexity - 1.0)))
