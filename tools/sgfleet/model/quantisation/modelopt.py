"""NVIDIA ModelOpt: one algorithm with a list of what it leaves out, or a list of layers with an algorithm each."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from sgfleet.model.layer import LinearAttention, Moe
from sgfleet.model.quantisation import formats
from sgfleet.model.quantisation.kv import kv_cache
from sgfleet.model.quantisation.parts import Names, all_parts
from sgfleet.model.shape import Quantisation, Storage

if TYPE_CHECKING:
    from sgfleet.model.config import Section
    from sgfleet.model.layer import Layer

ALGORITHMS: Final = {
    "FP8": formats.FP8,
    "FP8_PER_CHANNEL_PER_TOKEN": formats.FP8,
    "FP8_PB_WO": formats.fp8_block(128, 128),
    "NVFP4": formats.NVFP4,
    "W4A16_NVFP4": formats.NVFP4,
    "NVFP4_AWQ": formats.NVFP4,
    "MXFP4": formats.MXFP4,
    "MXFP8": formats.MXFP8,
    "W4A8_AWQ": formats.integer(4, 128),
    "W4A16_AWQ": formats.integer(4, 128),
    "INT8_SQ": formats.INT8,
}
IGNORED: Final = ("exclude_modules", "ignore")
LEFT_OUT: Final = ("attention", "output", "linear")
"""What models with experts or states are usually left with unquantised, where the list of it is not at hand."""


def read(
    section: Section, method: str, layers: tuple[Layer, ...], *, fp4_experts: Storage | None = None
) -> Quantisation:
    """Either form. `fp4_experts` is how the experts are stored when config.json says it apart from all lists."""
    algorithm = (section.word("quant_algo") or "").upper()
    kv = kv_cache(section)
    if algorithm == "MIXED_PRECISION":
        return _mixed(section, method, layers, kv, fp4_experts)
    storage = ALGORITHMS.get(algorithm)
    if storage is None:
        raise section.problem(f"has a quant_algo that is not known, {algorithm or 'none'}")
    parts = all_parts(layers)
    if section.has(*IGNORED):
        ignored = Names(section.words(*IGNORED))
        kept = [part for part in parts if not ignored.covers(part, layers)]
        return Quantisation("modelopt", tuple((part, storage) for part in kept), kv)
    unsure = tuple(part for part in parts if part in LEFT_OUT) if _is_mixed_kind(layers) else ()
    return Quantisation("modelopt", tuple((part, storage) for part in parts if part not in unsure), kv, unsure)


def _mixed(
    section: Section, method: str, layers: tuple[Layer, ...], kv: str | None, fp4_experts: Storage | None
) -> Quantisation:
    """A list of layers with an algorithm each; what it leaves out is FP8 where the outer method is."""
    rest = section.integers("weight_block_size")
    outer = formats.fp8_block(*rest) if method == "fp8" and len(rest) == 2 and all(rest) else None
    lists = _lists(section)
    parts: dict[str, Storage] = {}
    for part in (*all_parts(layers), "lm_head"):
        named = next((kind for names, kind in lists if names.covers(part, layers)), None)
        storage = named or (fp4_experts if part == "experts" else None) or (outer if part != "lm_head" else None)
        if storage is not None:
            parts[part] = storage
    if lists or fp4_experts is not None:
        return Quantisation(method or "modelopt", tuple(parts.items()), kv)
    guess = {part: formats.NVFP4 if part in ("experts", "dense") else formats.FP8 for part in all_parts(layers)}
    unsure = tuple(part for part in guess if part not in ("experts", "dense"))
    return Quantisation("modelopt", tuple(guess.items()), kv, unsure)


def _lists(section: Section) -> list[tuple[Names, Storage]]:
    """The modules of each algorithm."""
    listed = section.section("quantized_layers")
    by_algorithm: dict[str, list[str]] = defaultdict(list)
    for module, how in (listed.values if listed is not None else {}).items():
        if isinstance(how, dict) and isinstance(how.get("quant_algo"), str):
            by_algorithm[how["quant_algo"].upper()].append(module)
    return [(Names(names), ALGORITHMS[name]) for name, names in sorted(by_algorithm.items()) if name in ALGORITHMS]


def _is_mixed_kind(layers: tuple[Layer, ...]) -> bool:
    """Models of one kind of dense layer are quantised throughout; others usually in their experts alone."""
    return any(isinstance(layer.mlp, Moe) or isinstance(layer.mixer, LinearAttention) for layer in layers)
