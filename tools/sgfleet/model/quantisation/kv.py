"""Whether a checkpoint asks for a quantised KV cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sgfleet.model.config import Section


def kv_cache(section: Section) -> str | None:
    """The word "fp8" where the checkpoint asks for an FP8 KV cache, by name or as a scheme; None otherwise."""
    word = section.word("kv_cache_quant_algo", "kv_cache_scheme", "kv_cache_quant_method")
    if word is not None:
        return "fp8" if word.upper().startswith("FP8") else None
    scheme = section.section("kv_cache_scheme")
    if scheme is None:
        return None
    return "fp8" if scheme.word("type") == "float" and scheme.maybe("num_bits") == 8 else None
