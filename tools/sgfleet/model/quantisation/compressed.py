"""compressed-tensors (llm-compressor): groups of targets with a scheme each, and a list of what is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.model.layer import Moe
from sgfleet.model.quantisation import formats
from sgfleet.model.quantisation.kv import kv_cache
from sgfleet.model.quantisation.parts import Names, all_parts
from sgfleet.model.shape import Quantisation, Storage

if TYPE_CHECKING:
    from sgfleet.model.config import Section
    from sgfleet.model.layer import Layer

BY_FORMAT: Final = {
    "pack-quantized": formats.integer(4, 32),
    "nvfp4-pack-quantized": formats.NVFP4,
    "mxfp4-pack-quantized": formats.MXFP4,
    "float-quantized": formats.FP8,
    "int-quantized": formats.INT8,
    "naive-quantized": formats.FP8,
}
"""What a format usually holds, for a configuration whose groups are not at hand."""
ALL_LINEAR: Final = frozenset({"Linear", "torch.nn.Linear"})


def read(section: Section, layers: tuple[Layer, ...]) -> Quantisation:
    """The storage of every part by its group."""
    kv = kv_cache(section)
    parts = all_parts(layers)
    groups = _groups(section)
    if not groups:
        return _without_groups(section, layers, kv)
    ignored = Names(section.words("ignore"))
    stored = [
        (part, storage)
        for part in (*parts, "lm_head")
        if not ignored.covers(part, layers) and (storage := _of_part(part, groups, layers)) is not None
    ]
    return Quantisation("compressed-tensors", tuple(stored), kv)


def _of_part(part: str, groups: list[tuple[tuple[str, ...], Storage]], layers: tuple[Layer, ...]) -> Storage | None:
    """The scheme of the group that a part belongs to: named modules before all linear ones."""
    for targets, storage in groups:
        if Names(target for target in targets if target not in ALL_LINEAR).covers(part, layers):
            return storage
    return next((storage for targets, storage in groups if ALL_LINEAR.intersection(targets)), None)


def _groups(section: Section) -> list[tuple[tuple[str, ...], Storage]]:
    """Targets and storage of each group."""
    listed = section.section("config_groups")
    found = []
    for name in listed.values if listed is not None else ():
        group = listed.section(name) if listed is not None else None
        weights = group.section("weights") if group is not None else None
        if group is not None and weights is not None:
            form = group.word("format") or section.word("format") or ""
            found.append((group.words("targets"), _storage(weights, form)))
    return found


def _storage(weights: Section, form: str) -> Storage:
    bits = weights.positive("num_bits")
    group = weights.maybe("group_size") if weights.find("group_size")[1] != -1 else None
    if weights.word("type") == "float":
        if bits == 4:
            return formats.MXFP4 if group == formats.MXFP4.group_size or "mxfp4" in form else formats.NVFP4
        tile = weights.integers("block_structure")
        return formats.fp8_block(*tile) if len(tile) == 2 and all(tile) else formats.FP8
    if weights.word("strategy") in ("channel", "tensor"):
        group = None
    return formats.integer(bits, group or None, zero_points=weights.find("symmetric")[1] is False)


def _without_groups(section: Section, layers: tuple[Layer, ...], kv: str | None) -> Quantisation:
    form = section.word("format") or ""
    storage = BY_FORMAT.get(form)
    if storage is None:
        raise section.problem(f"has no config_groups, and its format, {form or 'none'}, does not say enough")
    parts = all_parts(layers)
    if any(isinstance(layer.mlp, Moe) for layer in layers):
        return Quantisation(
            "compressed-tensors",
            (("experts", storage),),
            kv,
            unsure=tuple(part for part in parts if part != "experts"),
        )
    return Quantisation("compressed-tensors", tuple((part, storage) for part in parts), kv)
