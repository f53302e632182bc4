"""The parts of a model that are quantised or not as one, and the module names under which checkpoints list them."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import cached_property
from typing import TYPE_CHECKING, Final

from sgfleet.model.layer import LinearAttention, Mlp, Moe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgfleet.model.layer import Layer

MIXERS: Final = ("self_attn", "attention", "attn", "mixer")
DOWN: Final = ("gate_proj", "up_proj", "down_proj", "gate_up_proj", "w1", "w2", "w3")
INTO: Final = (
    "q_proj",
    "k_proj",
    "v_proj",
    "qkv_proj",
    "q_a_proj",
    "q_b_proj",
    "kv_a_proj_with_mqa",
    "kv_b_proj",
    "wq_a",
    "wq_b",
    "wkv",
)
OUT: Final = ("o_proj", "wo_a", "wo_b", "dense")
PREFIXES: Final = (
    "model.layers.{}",
    "layers.{}",
    "language_model.model.layers.{}",
    "model.language_model.layers.{}",
    "model.language_model.model.layers.{}",
    "backbone.layers.{}",
    "model.decoder.layers.{}",
)
MODULES: Final[dict[str, tuple[str, ...]]] = {
    "attention": tuple(f"{mixer}.{name}" for mixer in MIXERS for name in INTO),
    "output": tuple(f"{mixer}.{name}" for mixer in MIXERS for name in OUT),
    "linear": (
        *(f"linear_attn.{name}" for name in ("in_proj_qkvz", "in_proj_qkv", "in_proj_z", "out_proj")),
        *(f"{mixer}.{name}" for mixer in ("mixer", "mamba") for name in ("in_proj", "out_proj")),
        *(f"self_attn.{name}" for name in ("q_proj", "k_proj", "v_proj", "o_proj")),
    ),
    "dense": tuple(f"{block}.{name}" for block in ("mlp", "feed_forward", "ffn", "mixer") for name in DOWN),
    "experts": tuple(
        f"{block}.experts{name}"
        for block in ("mlp", "block_sparse_moe", "feed_forward", "ffn", "mixer", "moe")
        for name in ("", *(f".0.{matrix}" for matrix in DOWN))
    ),
    "shared": tuple(
        f"{block}.{shared}.{name}"
        for block in ("mlp", "block_sparse_moe", "feed_forward", "ffn", "mixer")
        for shared in ("shared_experts", "shared_expert")
        for name in DOWN
    ),
}
HEAD: Final = ("lm_head", "head", "language_model.lm_head", "model.lm_head", "output")
SAMPLE: Final = 12
"""Layers looked at for each part: lists name all layers alike, but for the first and the last few."""
LONGEST_PATTERN: Final = 300
REPEATED_GROUP: Final = re.compile(r"\)\s*[*+{]")
"""A group that repeats can make a match take for ever; no checkpoint needs one."""


def parts_of(layer: Layer) -> frozenset[str]:
    """The parts that a layer has."""
    parts: set[str] = set()
    if layer.state is not None:
        parts.add("linear")
    if layer.mixer is not None and not isinstance(layer.mixer, LinearAttention):
        parts.update(("attention", "output"))
    if isinstance(layer.mlp, Mlp) or (isinstance(layer.mlp, Moe) and layer.mlp.dense is not None):
        parts.add("dense")
    if isinstance(layer.mlp, Moe):
        parts.add("experts")
        if layer.mlp.shared_intermediate_size:
            parts.add("shared")
    return frozenset(parts)


def all_parts(layers: tuple[Layer, ...]) -> tuple[str, ...]:
    """Every part that a model has, in a fixed order."""
    found = frozenset().union(*map(parts_of, set(layers)))
    return tuple(part for part in MODULES if part in found)


class Names:
    """A checkpoint's list of modules: literal names, names with wildcards, and regular expressions after `re:`."""

    def __init__(self, patterns: Iterable[str]) -> None:
        patterns = tuple(patterns)
        self.not_understood = tuple(pattern for pattern in patterns if not _is_harmless(pattern))
        usable = [pattern for pattern in patterns if _is_harmless(pattern)]
        self._literal = frozenset(pattern for pattern in usable if not pattern.startswith("re:") and "*" not in pattern)
        self._globs = [pattern for pattern in usable if not pattern.startswith("re:") and "*" in pattern]
        self._expressions = [pattern.removeprefix("re:") for pattern in usable if pattern.startswith("re:")]

    @cached_property
    def _compiled(self) -> tuple[list[re.Pattern[str]], list[re.Pattern[str]]]:
        return [re.compile(translate(glob)) for glob in self._globs], [re.compile(text) for text in self._expressions]

    def has(self, module: str) -> bool:
        """The list names this module, one that contains it, or a part of its path."""
        components = module.split(".")
        runs = {
            ".".join(components[start:end])
            for start in range(len(components))
            for end in range(start + 1, len(components) + 1)
        }
        if not self._literal.isdisjoint(runs):
            return True
        globs, expressions = self._compiled
        return any(glob.match(module) or any(map(glob.match, components)) for glob in globs) or any(
            expression.match(module) for expression in expressions
        )

    def covers(self, part: str, layers: tuple[Layer, ...]) -> bool:
        """The list names this part in most of the layers that have it."""
        if part == "lm_head":
            return any(map(self.has, HEAD))
        indices = [index for index, layer in enumerate(layers) if part in parts_of(layer)]
        sample = indices[:: max(1, len(indices) // SAMPLE)]
        named = sum(any(map(self.has, modules(part, index))) for index in sample)
        return 2 * named > len(sample)


def modules(part: str, index: int) -> tuple[str, ...]:
    """Names under which checkpoints list a part of one layer."""
    return tuple(f"{prefix.format(index)}.{name}" for prefix in PREFIXES for name in MODULES[part])


def _is_harmless(pattern: str) -> bool:
    if len(pattern) > LONGEST_PATTERN:
        return False
    if not pattern.startswith("re:"):
        return pattern.count("*") <= 8
    if REPEATED_GROUP.search(pattern) or pattern.count("*") + pattern.count("+") > 8:
        return False
    try:
        re.compile(pattern.removeprefix("re:"))
    except (re.error, RecursionError, OverflowError):
        return False
    return True
