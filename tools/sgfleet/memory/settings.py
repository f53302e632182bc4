"""What a service says about memory: its flags in a release's own terms, defaults filled in, nothing resolved yet."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class SettingsError(ValueError):
    """A flag whose value cannot be used; other rules say what is wrong with it."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name.replace('_', '-')}: {message}")
        self.name = name


class Hicache(NamedTuple):
    """The host tier as asked for. `ratio` is None where the release is to choose; `size_gb` 0 means by ratio.

    `size_gb` counts 10**9 bytes, for each rank.
    """

    ratio: float | None = 2.0
    size_gb: float = 0
    layout: str = "layer_first"
    storage: str | None = None
    fraction: float = 0.8
    buffer_only: bool = False
    numa_bind: bool = True


class Speculative(NamedTuple):
    """Speculative decoding. `draft_path` is None where the draft's layers lie in the model's own checkpoint (MTP)."""

    algorithm: str
    draft_path: str | None = None
    draft_tokens: int | None = None
    topk: int | None = None

    @property
    def has_draft_model(self) -> bool:
        """NGRAM looks up text and has neither weights nor KV rows."""
        return self.algorithm != "NGRAM"

    @property
    def is_eagle(self) -> bool:
        """EAGLE, EAGLE3 and NEXTN are one family: their draft's rows are like the target's."""
        return self.algorithm in {"EAGLE", "EAGLE3", "NEXTN", "STANDALONE"}

    @property
    def is_mtp(self) -> bool:
        """The draft is made of layers in the target's own checkpoint."""
        return self.algorithm in {"EAGLE", "NEXTN"} and self.draft_path is None


class Graphs(NamedTuple):
    """CUDA graphs as asked for; None where the release is to choose."""

    decode: bool = True
    decode_max_batch: int | None = None
    prefill: bool | None = None
    prefill_breakable: bool = True
    prefill_max_tokens: int | None = None
    prefill_sizes: int | None = None
    """Number of sizes that are captured, where they are listed."""


class Settings(NamedTuple):
    """Memory as far as flags decide it.

    `tp` counts all tensor-parallel ranks, `attention_dp` the attention groups inside them, `replicas` whole copies of
    the model (plain --dp-size). `unmodelled` is what this arithmetic does not follow: the flag, and what it does.
    `offload_bytes` is what each rank may move into RAM of its weights.
    """

    release: str
    model_path: str = ""
    device: str | None = None
    tp: int = 1
    pp: int = 1
    attention_dp: int = 1
    replicas: int = 1
    nodes: int = 1
    ep: int = 1
    dense_tp: int | None = None
    redundant_experts: int = 0
    lm_head_dp: bool = False
    vision_dp: bool = False
    language_only: bool = False
    all_to_all: str = "none"
    fraction: float | None = None
    max_total_tokens: int | None = None
    max_running_requests: int | None = None
    context_length: int | None = None
    page_size: int | None = None
    kv_dtype: str = "auto"
    dtype: str = "auto"
    chunked_prefill_tokens: int | None = None
    max_prefill_tokens: int = 16384
    attention: str | None = None
    attention_prefill: str | None = None
    attention_decode: str | None = None
    sparse_prefill: str | None = None
    sparse_decode: str | None = None
    sliding_ratio: float = 0.8
    sliding_pool: bool = True
    hybrid_ratio: float | None = None
    mamba_ratio: float = 0.9
    mamba_slots: int | None = None
    mamba_dtype: str | None = None
    radix_cache: bool = True
    overlap: bool = True
    multimodal: bool | None = None
    disaggregation: str = "null"
    quantization: str | None = None
    graphs: Graphs = Graphs()
    speculative: Speculative | None = None
    hicache: Hicache | None = None
    prefill_graph_blockers: tuple[str, ...] = ()
    environment: Mapping[str, str] = MappingProxyType({})
    offload_bytes: int = 0
    unmodelled: tuple[tuple[str, str], ...] = ()

    @property
    def attention_tp(self) -> int:
        """Ways in which attention heads are divided."""
        return max(1, self.tp // self.attention_dp)

    @property
    def ranks(self) -> int:
        """Processes that each hold a GPU, over all nodes."""
        return self.tp * self.pp * self.replicas

    @property
    def ranks_per_host(self) -> int:
        """Ranks on one host; a launcher spreads them evenly."""
        return max(1, self.ranks // self.nodes)
