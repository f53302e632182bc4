"""The engine's own settings, as it prints them when it starts: only those of a fixed list, by name. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NAMES: Final = (
    "model_path",
    "dtype",
    "quantization",
    "kv_cache_dtype",
    "tp_size",
    "pp_size",
    "dp_size",
    "ep_size",
    "attn_dp_size",
    "enable_dp_attention",
    "mem_fraction_static",
    "max_total_tokens",
    "max_running_requests",
    "context_length",
    "page_size",
    "chunked_prefill_size",
    "max_prefill_tokens",
    "cuda_graph_max_bs",  # this one and the next up to 0.5.13, then one for each phase
    "piecewise_cuda_graph_max_tokens",
    "cuda_graph_max_bs_decode",
    "cuda_graph_max_bs_prefill",
    "disable_cuda_graph",
    "attention_backend",
    "swa_full_tokens_ratio",
    "mamba_full_memory_ratio",
    "max_mamba_cache_size",
    "speculative_algorithm",
    "speculative_num_steps",
    "speculative_eagle_topk",
    "speculative_num_draft_tokens",
    "enable_hierarchical_cache",
    "hicache_ratio",
    "hicache_size",
    "hicache_mem_layout",
    "disable_radix_cache",
    "enable_lora",
    "max_loras_per_batch",
)
"""What memory hangs on. None of them is a secret, and nothing else is taken."""

_TOKEN: Final = re.compile(
    r"""(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?P<name>[A-Za-z_]\w{0,99})=(?=\S)|(?P<open>[\[({])|(?P<close>[\])}])
    |(?P<colon>:\s)|(?P<comma>,)|(?P<word>[^\s,'"\[\](){}=:]+)|.""",
    re.VERBOSE | re.DOTALL,
)
_MODEL: Final = re.compile(r"/[\w./+-]{1,500}|[\w.-]{1,100}/[\w.-]{1,100}")
_WORD: Final = re.compile(r"[\w.+-]{1,60}")


def from_text(text: str) -> dict[str, Any]:
    """`server_args=ServerArgs(tp_size=8, ...)`, or `server_args={'tp_size': 8, ...}` as later releases print it.

    Text in quotes is one piece: a value that looks like a setting is none.
    """
    return chosen(dict(_pairs(text.partition("server_args=")[2])))


def chosen(values: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the list that have a plain value, in the list's order."""
    found: dict[str, Any] = {}
    for name in NAMES:
        value = values.get(name)
        if isinstance(value, str):
            pattern = _MODEL if name == "model_path" else _WORD
            if pattern.fullmatch(value):
                found[name] = value
        elif isinstance(value, bool | int) or (isinstance(value, float) and abs(value) < float("inf")):
            found[name] = value
    return found


def _pairs(text: str) -> Iterator[tuple[str, Any]]:
    """Names with values at the outermost level."""
    depth = 0
    name, key = None, None
    value: Any
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind in ("open", "close"):
            depth += 1 if kind == "open" else -1
            name = key = None
            if depth <= 0:
                return
        elif depth == 1 and kind == "name":
            name = match["name"]
        elif depth == 1 and kind in ("text", "word"):
            value = match[0][1:-1] if kind == "text" else match[0]
            if name is not None:
                yield name, value if kind == "text" else _plain(value)
                name = None
            else:
                key = value
        elif depth == 1 and kind == "colon":
            name, key = key, None
        elif kind == "comma":
            name = key = None


def _plain(word: str) -> Any:
    if word in {"True", "False"}:
        return word == "True"
    if re.fullmatch(r"-?\d{1,18}", word):
        return int(word)
    return float(word) if re.fullmatch(r"-?\d{1,18}\.\d{1,18}(?:e-?\d{1,2})?", word) else None
