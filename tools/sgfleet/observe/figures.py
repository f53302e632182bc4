"""The lines of one rank -> its figures, release by release. Pure.

Within a rank the target's line of each kind comes before the draft's, in every release from 0.4.0 on: what comes before
the first `Memory pool end` is the target's pool, the first weights are the target's weights. Device "GB" are GiB.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_AVAILABLE: Final = re.compile(r"avail mem=(\d+\.\d+) GB")
_USED: Final = re.compile(r"mem usage=(-?\d+\.\d+) GB")
_LOAD_BEGIN: Final = re.compile(r"Load weight begin\. avail mem=(\d+\.\d+) GB")
_LOAD_END: Final = re.compile(r"Load weight end\. .*?avail mem=(\d+\.\d+) GB(?:, mem usage=(-?\d+\.\d+) GB)?")
_POOL: Final = re.compile(
    r"(?:.{1,80}? )?KV Cache (?P<how>is allocated|VA upper bound)\. (?:dtype: [^,]{1,80}, )?"
    r"(?:#tokens: (?P<tokens>\d{1,15}), )?"
    r"(?:K size: (?P<k>\d+\.\d+) GB, V size: (?P<v>\d+\.\d+) GB|KV size: (?P<kv>\d+\.\d+) GB)"
)
_POOL_END: Final = re.compile(r"Memory pool end\. avail mem=(\d+\.\d+) GB")
_STATES: Final = re.compile(r"Mamba Cache is allocated\.(?: max_mamba_cache_size: (\d{1,12}),)?")
_STATE_SIZE: Final = re.compile(r"size: (\d+\.\d+)GB")
_CAPTURED: Final = re.compile(r"Capture (.{1,80}?) end\b")
_RESIZED: Final = re.compile(
    r"Post-capture KV sizing: (draft )?KV cache allocated\. dtype: [^,]{1,80}, "
    r"#tokens: (\d{1,15}), KV size: (\d+\.\d+) GB"
    r"(?:, avail mem=(\d+\.\d+) GB)?"
)
_RESIZED_TOKENS: Final = re.compile(
    r"Post-capture KV sizing: max_total_num_tokens=(\d{1,15}), free memory=(\d+\.\d+) GB"
)
_LAYER_TOKENS: Final = re.compile(r"(?:full_layer_tokens=(\d{1,15}), )?swa_layer_tokens=(\d{1,15})")
_SWA_POOL: Final = re.compile(r"SWAKVPool mem usage: [\d.]{1,30} GB, swa size: (\d{1,15}), full size: (\d{1,15})")
_HOST_POOL: Final = re.compile(
    r"Allocating (?:.{1,80} hierarchical KV host pool: (\d{1,15}) tokens, )?(\d+\.\d+) GB host memory"
)


@dataclass(slots=True)
class Pool:
    """KV pools of a model on a rank: GiB, and the tokens of each."""

    gib: float = 0.0
    tokens: list[int] = field(default_factory=list)
    upper_bound: bool = False
    """Only address space was set aside: what is really backed is said later."""


@dataclass(slots=True)
class Weights:
    """A model's weights on a rank: GiB free before and after, and what they take."""

    before_gib: float
    after_gib: float | None = None
    gib: float | None = None


@dataclass(slots=True)
class RankFigures:
    """What one rank said. `free` is the last reading of free memory, `readings` how many there were."""

    weights: list[Weights] = field(default_factory=list)
    target: Pool = field(default_factory=Pool)
    draft: Pool = field(default_factory=Pool)
    pools_ended: int = 0
    state_slots: int | None = None
    state_gib: float | None = None
    swa_tokens: int | None = None
    graphs_gib: float | None = None
    draft_graphs_gib: float | None = None
    host_gb: float | None = None
    host_tokens: int | None = None
    free: float | None = None
    readings: int = 0

    def take(self, text: str) -> bool:
        """Take what a line says; False when it says nothing of a rank's memory."""
        for pattern, use in _USES:
            if match := pattern.match(text):
                use(self, match)
                return True
        return False

    def _reads(self, gib: str | None) -> None:
        if gib is not None:
            self.free = float(gib)
            self.readings += 1

    def load_begins(self, match: re.Match[str]) -> None:
        """Loading begins: a model more."""
        self.weights.append(Weights(float(match[1])))
        self._reads(match[1])

    def load_ends(self, match: re.Match[str]) -> None:
        """Loading has ended."""
        self._reads(match[1])
        if self.weights:
            weights = self.weights[-1]
            weights.after_gib = float(match[1])
            # 0.4.0 to 0.4.5 print no difference.
            weights.gib = float(match[2]) if match[2] else round(weights.before_gib - weights.after_gib, 2)

    def pool(self, match: re.Match[str]) -> None:
        """A KV pool, or the address space for one."""
        pool = self.draft if self.pools_ended else self.target
        pool.upper_bound |= match["how"] != "is allocated"
        pool.gib += sum(float(match[part]) for part in ("k", "v", "kv") if match[part])
        if match["tokens"]:
            pool.tokens.append(int(match["tokens"]))

    def pool_ends(self, match: re.Match[str]) -> None:
        """A model's pools are all there."""
        self.pools_ended += 1
        self._reads(match[1])

    def states(self, match: re.Match[str]) -> None:
        """The pool of linear-attention states."""
        if not self.pools_ended:
            self.state_slots = int(match[1]) if match[1] else None
            self.state_gib = sum(map(float, _STATE_SIZE.findall(match.string)))

    def captured(self, match: re.Match[str]) -> None:
        """Graphs were captured."""
        used, free = _USED.search(match.string), _AVAILABLE.search(match.string)
        name = match[1]
        # Later releases name whose graph it is; before, the draft's came after the draft's weights.
        of_draft = "draft" in name or ("target" not in name and len(self.weights) > 1)
        if used and of_draft:
            self.draft_graphs_gib = (self.draft_graphs_gib or 0.0) + float(used[1])
        elif used:
            self.graphs_gib = (self.graphs_gib or 0.0) + float(used[1])
        self._reads(free[1] if free else None)

    def resized(self, match: re.Match[str]) -> None:
        """A pool got its real size after the capture."""
        pool = Pool(float(match[3]), [int(match[2])])
        if match[1]:
            was = self.draft
            self.draft = pool if was.upper_bound else Pool(was.gib + pool.gib, [*was.tokens, *pool.tokens])
        else:
            self.target = pool
        self._reads(match[4])

    def resized_tokens(self, match: re.Match[str]) -> None:
        """The same in 0.5.16, which does not say the size."""
        self.target = Pool(tokens=[int(match[1])])
        self._reads(match[2])

    def layer_tokens(self, match: re.Match[str]) -> None:
        """Tokens of full and of sliding-window layers."""
        if not self.pools_ended or match.string.startswith("Post"):
            self.swa_tokens = int(match[2]) or None

    def swa_pool(self, match: re.Match[str]) -> None:
        """The same, from another line."""
        if not self.pools_ended:
            self.swa_tokens = int(match[1])

    def host_pool(self, match: re.Match[str]) -> None:
        """A host pool; several of a rank add up."""
        self.host_gb = (self.host_gb or 0.0) + float(match[2])
        if match[1]:
            self.host_tokens = max(self.host_tokens or 0, int(match[1]))


_USES: Final[tuple[tuple[re.Pattern[str], Callable[[RankFigures, re.Match[str]], None]], ...]] = (
    (_LOAD_BEGIN, RankFigures.load_begins),
    (_LOAD_END, RankFigures.load_ends),
    (_POOL, RankFigures.pool),
    (_POOL_END, RankFigures.pool_ends),
    (_STATES, RankFigures.states),
    (_CAPTURED, RankFigures.captured),
    (_RESIZED, RankFigures.resized),
    (_RESIZED_TOKENS, RankFigures.resized_tokens),
    (re.compile(rf"(?:Use|Post-capture)[^=]{{1,80}}{_LAYER_TOKENS.pattern}"), RankFigures.layer_tokens),
    (_SWA_POOL, RankFigures.swa_pool),
    (_HOST_POOL, RankFigures.host_pool),
)
