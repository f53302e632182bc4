"""Bringing a prefix back from RAM against computing it again: an estimate, with what it assumes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sgfleet.model.estimate import parameters
from sgfleet.model.layer import Attention, LatentAttention, Moe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgfleet.memory.host_pools import HostPool
    from sgfleet.memory.settings import Settings
    from sgfleet.model.shape import ModelShape
    from sgfleet.spec.models.facts import Gpu

_LANE_GB: Final = {1: 0.25, 2: 0.5, 3: 0.985, 4: 1.969, 5: 3.938, 6: 7.563}
"""GB (10**9 bytes) a second of one PCIe lane by generation, line coding taken off."""
LINK_SHARE: Final = 0.8
"""Of a link's rate that large copies from pinned memory reach."""
COMPUTE_SHARE: Final = 0.35
"""Of a card's dense 16-bit rate that prefill reaches."""
PREFIX_TOKENS: Final = 32_768
_COMPUTE: Final = Path(__file__).with_name("compute.json")
"""Card -> dense BF16 tensor rate, 10**12 operations a second, from public listings (503.8). Others are unknown."""


@dataclass(frozen=True, slots=True)
class Reload:
    """A prefix of `tokens`. `reload_seconds` is from RAM over every rank's own link, all at once; `compute_seconds` is
    a prefill of it, None where the card's rate is not known. `even_tokens_a_second` is the rate of prefill at which
    both take as long. All are estimates: `assumptions` say from what.
    """

    tokens: int
    rank_bytes: int
    reload_seconds: float
    compute_seconds: float | None
    even_tokens_a_second: float
    assumptions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """The slowest PCIe link among a service's GPUs."""

    generation: int
    width: int

    @property
    def bytes_a_second(self) -> float:
        """As specified, one way."""
        return _LANE_GB[self.generation] * self.width * 1e9


def slowest_link(gpus: Sequence[Gpu]) -> Link | None:
    """The link that all wait for; None where a GPU's link is not known."""
    links = []
    for gpu in gpus:
        pcie = gpu.pcie
        width = (pcie.current_width or pcie.width) if pcie is not None else None
        if pcie is None or not width or pcie.generation not in _LANE_GB:
            return None
        links.append(Link(pcie.generation, width))
    return min(links, key=lambda link: link.bytes_a_second, default=None)


def reload_of(
    pools: Sequence[HostPool], link: Link, shape: ModelShape, settings: Settings, card: str | None
) -> Reload | None:
    """The estimate for a service's host pools; None where a token takes nothing there."""
    row = sum(pool.token_bytes for pool in pools if pool.name in ("kv", "index"))
    if not row:
        return None
    longest = max((pool.tokens for pool in pools if pool.name == "kv"), default=PREFIX_TOKENS)
    tokens = min(PREFIX_TOKENS, settings.context_length or shape.context_length or PREFIX_TOKENS, longest)
    rate = link.bytes_a_second * LINK_SHARE
    said = [f"PCIe {link.generation}.0 x{link.width}, {LINK_SHARE:.0%} of it, all ranks at once"]
    compute = None
    peak = peak_of(card)
    if peak is not None:
        ranks = settings.tp * settings.pp
        compute = operations(shape, tokens) / (peak * 1e12 * COMPUTE_SHARE * ranks)
        word = "ranks" if ranks > 1 else "rank"
        said.append(f"{ranks} {word} at {COMPUTE_SHARE:.0%} of {peak:,} dense BF16 TFLOPS; both may be off by half")
    else:
        said.append(f"the arithmetic rate of {card or 'the card'} is not known")
    return Reload(tokens, tokens * row, tokens * row / rate, compute, rate / row, tuple(said))


def operations(shape: ModelShape, tokens: int) -> float:
    """Floating-point operations of a prefill: two for each active weight and token, and attention's own."""
    idle = sum(_idle_weights(layer.mlp, shape.hidden_size) for layer in shape.layers)
    active = parameters(shape) - idle - 2 * shape.vocab_size * shape.hidden_size
    attention = sum(_pair_operations(mixer) * count for mixer, count in shape.mixers.items())
    return 2.0 * max(0, active) * tokens + attention * tokens**2 / 2


def _idle_weights(mlp: object, hidden: int) -> int:
    if not isinstance(mlp, Moe):
        return 0
    width = mlp.latent_size or hidden
    return (mlp.experts - mlp.experts_per_token) * (3 if mlp.gated else 2) * mlp.intermediate_size * width


def _pair_operations(mixer: object) -> int:
    """For each pair of tokens in one layer. A window or an indexer makes it less: then it is left out."""
    match mixer:
        case Attention(window=None):
            return 2 * mixer.heads * (mixer.head_dim + mixer.v_head_dim)
        case LatentAttention(indexer=None):
            return 2 * mixer.heads * (mixer.qk_nope_head_dim + mixer.qk_rope_head_dim + mixer.v_head_dim)
        case _:
            return 0


@lru_cache(maxsize=1)
def _rates() -> dict[str, int]:
    rates: dict[str, int] = json.loads(_COMPUTE.read_text(encoding="utf-8"))
    return rates


def peak_of(card: str | None) -> int | None:
    """Dense BF16 TFLOPS of a card by its name; None for one that is not known."""
    words = set(re.findall(r"[a-z0-9]+", (card or "").lower()))
    fitting = [name for name in _rates() if set(name.lower().split()) <= words]
    return _rates()[max(fitting, key=len)] if fitting else None
