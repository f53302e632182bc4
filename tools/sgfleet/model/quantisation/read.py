"""A checkpoint's quantisation, whichever tool wrote it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.model.quantisation import compressed, formats, modelopt
from sgfleet.model.quantisation.kv import kv_cache
from sgfleet.model.quantisation.parts import Names, all_parts
from sgfleet.model.shape import Quantisation, Storage

if TYPE_CHECKING:
    from sgfleet.model.config import Config, Section
    from sgfleet.model.layer import Layer

EXPERTS_ONLY: Final = frozenset({"mxfp4", "w4afp8", "expert_pack", "moe_wna16"})
IGNORED: Final = ("modules_to_not_convert", "ignored_layers", "exclude_modules", "ignore", "llm_int8_skip_modules")


def read_quantisation(config: Config, layers: tuple[Layer, ...]) -> Quantisation | None:
    """How the weights are stored, None for a checkpoint that is not quantised.

    Raises:
        ModelError: The method is one that this tool does not know, or a field of it is not what it should be.
    """
    section = config.quantisation
    if section is None:
        return None
    method = (section.word("quant_method") or ("modelopt" if section.has("quant_algo") else "")).lower()
    if method.startswith("modelopt") or (section.has("quant_algo") and section.has("quantized_layers")):
        return modelopt.read(section, method, layers, fp4_experts=_fp4_experts(config, section))
    if method in ("compressed-tensors", "compressed_tensors"):
        return compressed.read(section, layers)
    return _plain(config, section, method, layers)


def _plain(config: Config, section: Section, method: str, layers: tuple[Layer, ...]) -> Quantisation:
    """Methods with one storage for everything that they quantise."""
    storage = _storage(section, method)
    if storage is None:
        raise section.problem(f"has a quant_method that is not known, {method or 'none'}")
    ignored = Names(section.words(*IGNORED))
    parts = {
        part: storage
        for part in all_parts(layers)
        if not ignored.covers(part, layers) and (method not in EXPERTS_ONLY or part == "experts")
    }
    fp4 = _fp4_experts(config, section)
    if fp4 is not None and "experts" in parts:
        parts["experts"] = fp4
    return Quantisation(method, tuple(parts.items()), kv_cache=kv_cache(section))


def _storage(section: Section, method: str) -> Storage | None:
    match method:
        case "fp8" | "fbgemm_fp8" | "w8a8_fp8" | "ptpc_fp8":
            tile = section.integers("weight_block_size")
            return formats.fp8_block(*tile) if len(tile) == 2 and all(tile) else formats.FP8
        case "mxfp8":
            return formats.MXFP8
        case "awq" | "awq_marlin":
            bits = section.positive("bits", "w_bit", default=4)
            group = section.find("group_size", "q_group_size")[1]
            return formats.integer(bits, _group(group), zero_points=section.flag("zero_point", default=True))
        case "gptq" | "gptq_marlin" | "auto-round" | "moe_wna16":
            group = section.find("group_size")[1]
            return formats.integer(section.positive("bits", default=4), _group(group), zero_points=True)
        case "mxfp4" | "expert_pack":
            return formats.MXFP4
        case "w4afp8":
            return formats.integer(4, section.positive("group_size", default=128))
        case "w8a8_int8" | "blockwise_int8":
            return formats.INT8
        case "bitsandbytes":
            return formats.INT8 if section.flag("load_in_8bit") else formats.integer(4, 64)
        case "quark":
            return _quark(section)
        case _:
            return None


def _quark(section: Section) -> Storage:
    """AMD's quantiser: the weight's type is nested two deep."""
    scheme = section.section("global_quant_config")
    weight = scheme.section("weight") if scheme is not None else None
    kind = (weight.word("dtype") if weight is not None else None) or "fp8"
    return formats.MXFP4 if "4" in kind else formats.FP8


def _fp4_experts(config: Config, section: Section) -> Storage | None:
    """Experts that are stored narrower than the rest (DeepSeek V4), None where they are not."""
    if section.word("moe_quant_algo") == "NVFP4":
        return formats.NVFP4
    return formats.MXFP4 if config.text.word("expert_dtype") == "fp4" else None


def _group(value: object) -> int | None:
    """A group size, None for -1 (a whole row)."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
