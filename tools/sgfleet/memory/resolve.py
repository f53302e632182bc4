"""What a release makes of settings that were left open: page size, KV type, attention backend, multimodal or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.memory.architectures import listed
from sgfleet.memory.era import from_release
from sgfleet.memory.eras import DSA_TRTLLM_DEFAULT, FA4_PAGES, SLIDING_SPLIT, TRTLLM_MHA_DEFAULT, TRTLLM_PAGES
from sgfleet.model.layer import Attention, CompressedAttention, LatentAttention

if TYPE_CHECKING:
    from sgfleet.memory.hardware import Hardware
    from sgfleet.memory.settings import Settings
    from sgfleet.model.shape import ModelShape

ELEMENT_BYTES: Final = {"bfloat16": 2, "float16": 2, "half": 2, "float32": 4, "float": 4}
_FP8: Final = frozenset({"fp8_e4m3", "fp8_e5m2", "mxfp8"})
_FP4: Final = frozenset({"fp4_e2m1", "nvfp4", "fp4_mx_block16"})
_DEEPSEEK: Final = frozenset({"DeepseekV3ForCausalLM", "KimiK25ForConditionalGeneration", "MistralLarge3ForCausalLM"})
_COMPRESSED_PAGE: Final = 256
_MHA_TRTLLM: Final = {"GptOssForCausalLM": "0.5.1", "Llama4ForConditionalGeneration": "0.5.4"}
"""Architectures that took the trtllm_mha backend on SM100 before all others did."""


class Resolved(NamedTuple):
    """What holds once everything is decided. `open` says what had to be guessed, in words for a person.

    `kv_dtype` is "fp8_e4m3" and the like, or the model's own type; `element_bytes` is what one element takes (fp4: the
    byte that two share is told by `is_fp4`).
    """

    page_size: int
    kv_dtype: str
    element_bytes: int
    is_fp4: bool = False
    multimodal: bool = False
    sparse_rows_plain: bool = True
    sliding: bool = False
    open: tuple[str, ...] = ()


def resolve(settings: Settings, shape: ModelShape, hardware: Hardware) -> Resolved:
    """Decide what the flags left open, as the release does."""
    unsure: list[str] = []
    dtype = _kv_dtype(settings, shape, hardware, unsure)
    page = _page_size(settings, shape, hardware, unsure)
    return Resolved(
        page_size=page,
        kv_dtype=dtype,
        element_bytes=1 if dtype in _FP8 | _FP4 else ELEMENT_BYTES.get(dtype, 2),
        is_fp4=dtype in _FP4,
        multimodal=is_multimodal(settings, shape),
        sparse_rows_plain=dtype not in _FP8 or _trtllm_rows(settings, hardware),
        sliding=has_sliding_pool(settings, shape),
        open=tuple(unsure),
    )


def is_multimodal(settings: Settings, shape: ModelShape) -> bool:
    """Whether the release loads the model with its towers."""
    if shape.vision is None:
        return False
    if settings.multimodal is not None:
        return settings.multimodal
    return not listed("multimodal_off", settings.release, shape.architecture)


def has_sliding_pool(settings: Settings, shape: ModelShape) -> bool:
    """Whether sliding layers get a pool of their own (otherwise every layer keeps every token)."""
    if not any(isinstance(mixer, Attention) and mixer.window for mixer in shape.mixers):
        return any(isinstance(mixer, CompressedAttention) for mixer in shape.mixers)
    if not settings.sliding_pool:
        return False
    match SLIDING_SPLIT.at(settings.release):
        case "bytes":
            return listed("hybrid_sliding", settings.release, shape.architecture) and not _sliding_withdrawn(
                settings, shape
            )
        case "layers":
            return not shape.architecture.startswith(("Llama4", "Gemma", "GptOss", "Exaone4", "Olmo2"))
        case _:
            return False


def _sliding_withdrawn(settings: Settings, shape: ModelShape) -> bool:
    """Architectures for which releases give the pool up under other settings."""
    if not from_release(settings.release, "0.5.10") and settings.hicache is not None:
        return shape.architecture.startswith(("MiMoV2", "Step3p5"))
    if shape.architecture == "GptOssForCausalLM" and settings.release.startswith("0.5.8"):
        return settings.speculative is not None
    return False


def _is_sparse(shape: ModelShape) -> bool:
    return any(isinstance(mixer, LatentAttention) and mixer.indexer is not None for mixer in shape.mixers)


def _is_compressed(shape: ModelShape) -> bool:
    return any(isinstance(mixer, CompressedAttention) for mixer in shape.mixers)


def _kv_dtype(settings: Settings, shape: ModelShape, hardware: Hardware, unsure: list[str]) -> str:
    asked = settings.kv_dtype
    if _is_compressed(shape):
        return "fp8_e4m3" if asked == "auto" else asked
    if _is_sparse(shape) and (asked == "auto" or (settings.release == "0.5.3" and (hardware.major or 0) >= 10)):
        if hardware.major is None:
            unsure.append("the KV type of a DSA model depends on the GPU, whose compute capability is not known")
        return "fp8_e4m3" if (hardware.major or 0) >= 10 else "bfloat16"
    if asked in ("bf16", "bfloat16"):
        return "bfloat16"
    if asked != "auto":
        return asked
    if (
        shape.quantisation is not None
        and shape.quantisation.kv_cache == "fp8"
        and from_release(settings.release, "0.5.3")
    ):
        return "fp8_e4m3"
    if (
        shape.architecture.startswith("MiniMaxM3")
        and from_release(settings.release, "0.5.21")
        and (hardware.major or 0) >= 10
    ):
        unsure.append("MiniMax-M3 takes FP8 KV rows with some of its kernels: counted in the model's own type")
    own = (
        settings.dtype
        if settings.dtype not in ("auto", "half", "float")
        else {"half": "float16", "float": "float32"}.get(settings.dtype)
    )
    return own or _model_dtype(shape)


def _model_dtype(shape: ModelShape) -> str:
    dtype = shape.dtype or "bfloat16"
    return "float16" if dtype == "float32" else dtype


def _trtllm_rows(settings: Settings, hardware: Hardware) -> bool:
    """Whether a DSA pool uses plain rows although it is FP8: those of the trtllm backend."""
    backends = [settings.sparse_prefill, settings.sparse_decode]
    if "trtllm" in backends:
        return True
    if all(backends):
        return backends == ["tilelang", "tilelang"] and from_release(settings.release, "0.5.22")
    return DSA_TRTLLM_DEFAULT.at(settings.release) and (hardware.major or 0) >= 10


def _page_size(settings: Settings, shape: ModelShape, hardware: Hardware, unsure: list[str]) -> int:
    page = settings.page_size or 1
    if _is_compressed(shape):
        return settings.page_size or _COMPRESSED_PAGE
    if _is_sparse(shape):
        return 64
    default = _default_backend(settings, shape, hardware, unsure)
    backend = settings.attention or default
    decode = settings.attention_decode or backend
    prefill = settings.attention_prefill or backend
    if "flashmla" in (backend, decode):
        page = 64
    if "cutlass_mla" in (backend, decode):
        page = 128
    if "trtllm_mla" in (backend, decode) and page not in (32, 64):
        page = 64
    if "trtllm_mha" in (backend, decode, prefill):
        page = page if page in TRTLLM_PAGES.at(settings.release) else 64
    return 128 if _fa4_pages(settings, shape, hardware, backend) else page


def _fa4_pages(settings: Settings, shape: ModelShape, hardware: Hardware, backend: str | None) -> bool:
    """Whether the fa4 backend decides the page size; it does so last."""
    form = FA4_PAGES.at(settings.release)
    named = (
        {settings.attention_prefill}
        if form.startswith("prefill")
        else {settings.attention_prefill, settings.attention_decode, backend}
    )
    if form == "none" or "fa4" not in named:
        return False
    if "rows" in form and shape.is_latent:
        return False
    if form == "rows-sm100" and settings.speculative is not None and (settings.speculative.topk or 0) > 1:
        return False
    return "sm100" not in form or hardware.major == 10


def _default_backend(settings: Settings, shape: ModelShape, hardware: Hardware, unsure: list[str]) -> str | None:
    """The backend where none is named, as far as it decides the page size."""
    if settings.attention or (settings.attention_prefill and settings.attention_prefill == settings.attention_decode):
        return None
    if hardware.major is None:
        unsure.append(
            "the page size depends on the attention backend and so on the GPU, which is not known: taken as 1"
        )
        return None
    if shape.architecture in _DEEPSEEK and from_release(settings.release, "0.5.3.post2"):
        alone = not settings.attention_prefill and not settings.attention_decode
        return "trtllm_mla" if hardware.major == 10 and alone else None
    if shape.is_latent or hardware.major not in TRTLLM_MHA_DEFAULT.at(settings.release):
        first = _MHA_TRTLLM.get(shape.architecture)
        return "trtllm_mha" if hardware.major == 10 and first and from_release(settings.release, first) else None
    if shape.has_state:
        unsure.append("the page size of a model with linear layers depends on its attention backend: taken as 1")
        return None
    if not _draft_is_a_chain(settings):
        return None
    uneven = any(isinstance(mixer, Attention) and mixer.v_head_dim != mixer.head_dim for mixer in shape.mixers)
    return "fa4" if uneven and from_release(settings.release, "0.5.17") else "trtllm_mha"


def _draft_is_a_chain(settings: Settings) -> bool:
    """No speculation, or one that proposes no tree: the trtllm_mha backend knows no others."""
    if settings.speculative is None:
        return True
    topk = settings.speculative.topk
    if topk is None:
        return not from_release(settings.release, "0.5.7")
    return topk == 1 and settings.page_size in (None, 1)
