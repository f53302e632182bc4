"""CUDA graphs as far as the default memory fraction looks at them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.memory.architectures import listed
from sgfleet.memory.era import from_release
from sgfleet.memory.eras import MLA_PREFILL_TOKENS, PREFILL_GRAPH, PREFILL_GRAPH_BY_CONTEXT
from sgfleet.memory.resolve import is_multimodal
from sgfleet.model.layer import CompressedAttention, LatentAttention, LinearAttention

if TYPE_CHECKING:
    from sgfleet.memory.settings import Settings
    from sgfleet.model.shape import ModelShape

_FIRST_TOKENS: Final = 4096
"""Largest prefill graph of the first releases that had them, whatever the chunk."""
_LLAMA_2_TOKENS: Final = 4096
_PIPELINE_TOKENS: Final = 8192
"""Largest prefill graph with pipeline stages, where it is asked for (0.5.19 on; none by default)."""
_DEEPEP_TOKENS: Final = 2048
"""Largest prefill graph with DeepEP, whose sizes are multiples of 8."""
_BREAKABLE_ALL_TO_ALL: Final = frozenset({"none", "deepep", "megamoe", "flashinfer"})


class PrefillGraph(NamedTuple):
    """Prefill graphs of a service: captured or not, and up to how many tokens."""

    on: bool
    max_tokens: int = 0
    sizes: int = 0
    breakable: bool = False


def prefill_graph(settings: Settings, shape: ModelShape, chunk_tokens: int) -> PrefillGraph:
    """What the release does about prefill graphs before it derives its memory fraction."""
    form = PREFILL_GRAPH.at(settings.release)
    on, breakable = _is_on(settings, shape, form)
    if not on:
        return PrefillGraph(on=False)
    if breakable and settings.all_to_all == "deepep" and from_release(settings.release, "0.5.17"):
        largest = settings.graphs.prefill_max_tokens or _DEEPEP_TOKENS
        captured = len({-(-size // 8) * 8 for size in capture_sizes(settings.release, largest)})
    else:
        largest = settings.graphs.prefill_max_tokens or _largest(settings, shape, chunk_tokens)
        if settings.context_length is not None and PREFILL_GRAPH_BY_CONTEXT.at(settings.release):
            largest = min(largest, settings.context_length)
        captured = len(capture_sizes(settings.release, largest))
    return PrefillGraph(True, largest, settings.graphs.prefill_sizes or captured, breakable)


def capture_sizes(release: str, largest: int) -> list[int]:
    """The token counts that are captured up to a largest one."""
    steps = [(4, 33, 4), (48, 257, 16), (288, 513, 32)]
    if from_release(release, "0.5.8"):
        start = 576 if from_release(release, "0.5.9") else 640
        steps += [(start, 1025, 64), (1280, 4097, 256), (4608, largest + 1, 512)]
    else:
        steps += [(640, 4097, 128), (4352, largest + 1, 256)]
    return [size for step in steps for size in range(*step) if size <= largest]


def _largest(settings: Settings, shape: ModelShape, chunk_tokens: int) -> int:
    if not from_release(settings.release, "0.5.7"):
        return _FIRST_TOKENS
    largest = chunk_tokens
    if shape.is_latent and from_release(settings.release, "0.5.8"):
        ceiling = MLA_PREFILL_TOKENS.at(settings.release)
        largest = min(ceiling, chunk_tokens) if from_release(settings.release, "0.5.23") else ceiling
    staged = settings.pp > 1 and from_release(settings.release, "0.5.19")
    if staged and _is_on(settings, shape, PREFILL_GRAPH.at(settings.release))[1]:
        largest = min(largest, _PIPELINE_TOKENS)
    if not from_release(settings.release, "0.5.10"):
        return largest
    if settings.max_total_tokens is not None:
        largest = min(largest, settings.max_total_tokens)
    return min(largest, _LLAMA_2_TOKENS) if "llama-2" in settings.model_path.lower() else largest


def _is_on(settings: Settings, shape: ModelShape, form: str) -> tuple[bool, bool]:
    """(captured, in the breakable way)."""
    asked = settings.graphs.prefill
    if settings.disaggregation == "decode" and from_release(settings.release, "0.5.15"):
        return False, False
    if form in ("none", "tokens/4", "tokens/8", "asked"):
        return bool(asked) and form != "none", False
    if asked is False:
        return False, False
    if form == "piecewise":
        return asked is True or not _piecewise_blocked(settings, shape), False
    if asked is None and settings.disaggregation == "prefill" and not from_release(settings.release, "0.5.16"):
        return False, False  # the role switched all graphs off before roles had graphs of their own
    if asked is True:
        return True, settings.graphs.prefill_breakable
    multimodal = is_multimodal(settings, shape)
    if multimodal and _takes_piecewise(settings, shape):
        return not _piecewise_blocked(settings, shape), False
    return not _breakable_blocked(settings, shape, multimodal=multimodal), True


def _takes_piecewise(settings: Settings, shape: ModelShape) -> bool:
    release, name = settings.release, shape.architecture
    return (
        from_release(release, "0.5.16")
        and not from_release(release, "0.5.22")
        and listed("multimodal_piecewise", release, name)
        and not listed("multimodal_breakable", release, name)
    )


def _piecewise_blocked(settings: Settings, shape: ModelShape) -> bool:
    release, name = settings.release, shape.architecture
    blockers = set(settings.prefill_graph_blockers) - {"enable_two_batch_overlap"}
    if not from_release(release, "0.5.11"):
        blockers.discard("debug_cuda_graph")
        if settings.speculative is not None:
            return True
    sparse = any(isinstance(mixer, LatentAttention) and mixer.indexer for mixer in shape.mixers)
    return (
        bool(blockers)
        or listed("prefill_graph_off", release, name)
        or sparse
        or settings.attention_dp > 1
        or settings.pp > 1
        or settings.all_to_all != "none"
        or settings.disaggregation != "null"
        or (is_multimodal(settings, shape) and not listed("multimodal_piecewise", release, name))
    )


def _breakable_blocked(settings: Settings, shape: ModelShape, *, multimodal: bool) -> bool:
    release = settings.release
    mixers = list(shape.mixers)
    if any(isinstance(mixer, CompressedAttention) for mixer in mixers):
        return True
    if settings.pp > 1 and from_release(release, "0.5.19"):
        return True
    if _latent_blocked(settings, shape) or _linear_blocked(settings, shape):
        return True
    blockers = set(settings.prefill_graph_blockers)
    if not from_release(release, "0.5.17") and (settings.attention_dp > 1 or blockers & {"enable_lora", "lora_paths"}):
        return True
    if "attn_cp_size" in blockers or ("dcp_size" in blockers and from_release(release, "0.5.16")):
        return True
    allowed = _BREAKABLE_ALL_TO_ALL if from_release(release, "0.5.17") else frozenset({"none"})
    if settings.all_to_all not in allowed:
        return True
    if "enable_two_batch_overlap" in blockers and from_release(release, "0.5.17"):
        return True
    return multimodal and not listed("multimodal_breakable", release, shape.architecture)


def _latent_blocked(settings: Settings, shape: ModelShape) -> bool:
    """MLA had no breakable graphs before 0.5.18; DSA had them from 0.5.17 on."""
    if not shape.is_latent or from_release(settings.release, "0.5.18"):
        return False
    sparse = any(isinstance(mixer, LatentAttention) and mixer.indexer for mixer in shape.mixers)
    return not (sparse and from_release(settings.release, "0.5.17"))


def _linear_blocked(settings: Settings, shape: ModelShape) -> bool:
    """Nemotron-H in 0.5.17, KDA from 0.5.20 on."""
    if settings.release.startswith("0.5.17") and shape.architecture.startswith("NemotronH"):
        return True
    forms = {layer.state.form for layer in shape.layers if isinstance(layer.state, LinearAttention)}
    spared = shape.architecture == "Glm5NextForConditionalGeneration" and from_release(settings.release, "0.5.22")
    return "kda" in forms and from_release(settings.release, "0.5.20") and not spared
