"""What changed in which release, read from the sources of every wheel from 0.4.0 to 0.5.23. One table for all of it.

`tests/oracle` holds each sign against the wheels: it is there from the named release on, and not before.
"""

from __future__ import annotations

from typing import Final, Literal

from sgfleet.memory.era import Era, Rule

HostPools = frozenset[Literal["mha", "mla", "dsa", "mamba", "sliding", "minimax", "compressed"]]

# ---- KV pool of a rank -------------------------------------------------------------------------------------------

DRAFT_IN_BUDGET: Final = Rule(
    "draft weights and draft KV rows come out of the static fraction (before: out of what it leaves)",
    Era("0.4.0", value=False, source="model_executor/model_runner.py"),
    Era(
        "0.5.14",
        value=True,
        source="model_executor/pool_configurator.py",
        sign=r"eagle_draft_num_layers",
    ),
)
MULTIMODAL_RESERVE: Final = Rule(
    "multimodal models: an embedding cache (and a feature cache) is kept out of the KV budget",
    Era("0.4.0", value=False, source="model_executor/model_runner.py"),
    Era("0.5.18", value=True, source="mem_cache/kv_cache_configurator.py", sign=r"def mm_runtime_reservation_gb"),
)
VALUE_ROWS: Final = Rule(
    "rows of K and V are budgeted by head_dim + v_head_dim (before: twice head_dim)",
    Era("0.4.0", value=False, source="model_executor/model_runner.py"),
    Era(
        "0.5.7",
        value=True,
        source="model_executor/model_runner_kv_cache_mixin.py",
        sign=r"model_config\.head_dim \+ self\.model_config\.v_head_dim",
    ),
)
LONGER_CONTEXT: Final = Rule(
    "a context beyond the model's own is taken, unless SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN forbids it (before and"
    " after: refused, unless it allows it)",
    Era("0.4.0", value=False, source="configs/model_config.py"),
    Era(
        "0.4.4",
        value=True,
        source="configs/model_config.py",
        sign=r"SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN\", default=\"True\"",
    ),
    Era(
        "0.5.1",
        value=False,
        source="configs/model_config.py",
        sign=r"get_bool_env_var\(\"SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN\"\)",
    ),
)
DRAFT_GETS_CONTEXT: Final = Rule(
    "a draft model of its own is loaded with the target's context (before: with context-length, where it is given)",
    Era("0.4.0", value=False, source="managers/tp_worker.py"),
    Era(
        "0.4.3.post3",
        value=True,
        source="speculative/eagle_worker.py",
        sign=r"server_args\.context_length = target_worker",
    ),
)
INDEX_KEYS: Final = Rule(
    "DSA index keys are part of the KV budget",
    Era("0.4.0", value=False, source="model_executor/model_runner.py"),
    Era(
        "0.5.3.post1",
        value=True,
        source="model_executor/model_runner.py",
        sign=r"index_head_dim // NSATokenToKVPool\.quant_block_size",
    ),
)
INDEX_KEYS_SHARED: Final = Rule(
    "layers that take the top-k of an earlier one keep no index keys",
    Era("0.5.3.post1", value=False, source="model_executor/model_runner.py"),
    Era("0.5.18", value=True, source="mem_cache/kv_cache_configurator.py", sign=r"def _should_elide_dsa_index_k"),
)
DSA_ROW_BUDGETED: Final = Rule(
    "the budget uses the row that FP8 DSA pools really have (before: the plain one, so that more is allocated)",
    Era("0.5.3", value=False, source="model_executor/model_runner.py"),
    Era("0.5.17", value=True, source="model_executor/pool_configurator.py", sign=r"calculate_mla_kv_cache_dim"),
)
DSA_TRTLLM_DEFAULT: Final = Rule(
    "FP8 DSA on Blackwell uses the trtllm backend by default, whose rows are plain",
    Era("0.5.3", value=False, source="server_args.py"),
    Era("0.5.10", value=True, source="server_args.py", sign=r'self\.nsa_prefill_backend = "trtllm"'),
)
TRTLLM_MHA_DEFAULT: Final[Rule[frozenset[int]]] = Rule(
    "major compute capabilities whose default backend for K and V is trtllm_mha, in pages of 64",
    Era("0.4.0", frozenset(), "server_args.py"),
    Era(
        "0.5.6.post1", frozenset({10, 12}), "server_args.py", r"elif is_blackwell\(\) and is_no_spec_infer_or_topk_one"
    ),
    Era(
        "0.5.7",
        frozenset({10}),
        "server_args.py",
        r"self\.speculative_algorithm is None\s+or self\.speculative_eagle_topk",
    ),
)
FA4_PAGES: Final = Rule(
    "where the fa4 backend makes pages of 128 tokens: named for prefill, not with MLA, on SM100, named for anything",
    Era("0.4.0", value="none", source="server_args.py"),
    Era("0.5.4", value="prefill", source="server_args.py", sign=r"FA4 backend only supports page size 128"),
    Era("0.5.5.post1", "prefill-rows", "server_args.py", r'prefill_attention_backend == "fa4" and not self\.use_mla'),
    Era("0.5.10", "prefill-rows-sm100", "server_args.py", r'"fa4"\s+and not self\.use_mla_backend\(\)\s+and is_sm100'),
    Era("0.5.15", value="rows-sm100", source="arg_groups/overrides.py", sign=r"def _fa4_page_constraint"),
)
TRTLLM_PAGES: Final[Rule[tuple[int, ...]]] = Rule(
    "page sizes that the trtllm_mha backend takes; others become 64",
    Era("0.4.0", (16, 32, 64), "server_args.py"),
    Era("0.5.17", (16, 32, 64, 128), "arg_groups/overrides.py", r"page_size not in \[16, 32, 64, 128\]"),
)
SLIDING_SPLIT: Final = Rule(
    "how memory is split between full and sliding layers",
    Era("0.4.0", value="none", source="model_executor/model_runner.py"),
    Era("0.4.9.post3", value="layers", source="model_executor/model_runner.py", sign=r"swa_full_tokens_ratio"),
    Era("0.5.8", value="bytes", source="configs/model_config.py", sign=r"def is_hybrid_swa_model"),
)
MAMBA: Final = Rule(
    "how state slots of linear layers are sized",
    Era("0.4.0", value="none", source="model_executor/model_runner.py"),
    Era("0.5.2", value="slots", source="model_executor/model_runner.py", sign=r"max_mamba_cache_size"),
    Era("0.5.3.post2", value="ratio", source="model_executor/model_runner.py", sign=r"def handle_max_mamba_cache"),
    Era("0.5.13", value="joint", source="model_executor/model_runner_kv_cache_mixin.py", sign=r"Joint solve"),
    Era("0.5.17", value="padded", source="mem_cache/kv_cache_configurator.py", sign=r"max_mamba_cache_size \+ 1\)"),
)

# ---- the default of --mem-fraction-static --------------------------------------------------------------------------

FRACTION: Final = Rule(
    "the form of the default fraction",
    Era("0.4.0", value="ranks", source="server_args.py"),
    Era("0.4.5.post3", value="ranks-or-13", source="server_args.py", sign=r"1024 \* 13\) / gpu_mem"),
    Era("0.4.6.post2", value="ranks-scaled", source="server_args.py", sign=r"48 \* 1024 \* \(1 - mem_fraction\)"),
    Era("0.4.7", value="ranks-scaled-spec", source="server_args.py", sign=r"gpu_mem > 180 \* 1000"),
    Era("0.4.7.post1", value="tiers", source="server_args.py", sign=r"9\.5 \+ parallel_size / 2"),
    Era("0.5.3", value="activations", source="server_args.py", sign=r"def _handle_gpu_memory_settings"),
)
MULTIMODAL_FACTOR: Final = Rule(
    "what the default fraction is multiplied by for multimodal models",
    Era("0.4.0", value="none", source="server_args.py"),
    Era("0.4.9", value="0.9", source="server_args.py", sign=r"self\.mem_fraction_static \*= 0\.90"),
    Era("0.4.9.post3", value="tower", source="server_args.py", sign=r"def adjust_mem_fraction_for_vlm"),
)
SPECULATIVE_RESERVE_MIB: Final = Rule(
    "what the default fraction leaves for a draft model (not NGRAM, not STANDALONE), MiB",
    Era("0.4.7.post1", value=2048, source="server_args.py"),
    Era("0.5.10", value=4096, source="server_args.py", sign=r"reserved_mem \+= 4 \* 1024\b"),
    Era("0.5.14", value=0, source="server_args.py"),
)
SMALL_CARD: Final = Rule(
    "defaults for cards of 20 to 35 GiB: (chunk, graph batch below TP 4, from TP 4)",
    Era("0.5.3", value=(2048, 16, 80), source="server_args.py"),
    Era("0.5.4.post1", value=(2048, 24, 80), source="server_args.py", sign=r"cuda_graph_max_bs = 24"),
    Era("0.5.20", value=(4096, 48, 160), source="arg_groups/memory_hook.py", sign=r"max_bs = 48"),
)
PREFILL_GRAPH: Final = Rule(
    "prefill graphs: whether they are on by default, and what the default fraction leaves for them",
    Era("0.5.3", value="none", source="server_args.py"),
    Era("0.5.5.post1", value="tokens/4", source="server_args.py", sign=r"piecewise_cuda_graph_max_tokens // 4"),
    Era("0.5.7", value="tokens/8", source="server_args.py", sign=r"piecewise_cuda_graph_max_tokens // 8"),
    Era("0.5.8", value="asked", source="server_args.py", sign=r"len\(self\.piecewise_cuda_graph_tokens\) \* 8"),
    Era("0.5.10", value="piecewise", source="server_args.py", sign=r"def _handle_piecewise_cuda_graph"),
    Era("0.5.15", value="breakable", source="model_executor/cuda_graph_config.py", sign=r"def default_prefill_backend"),
)
ROLE_AWARE: Final = Rule(
    "the default fraction looks at the disaggregation role, at disabled graphs and at DeepEP",
    Era("0.5.3", value=False, source="server_args.py"),
    Era("0.5.15", value=True, source="server_args.py", sign=r"running_requests \* draft_tokens, 2048"),
)
GRAPH_BATCH_BY_REQUESTS: Final = Rule(
    "the default graph batch is at most --max-running-requests",
    Era("0.5.3", value=False, source="server_args.py"),
    Era("0.5.22", value=True, source="arg_groups/memory_hook.py", sign=r"decode_max_bs_is_default"),
)
PREFILL_GRAPH_BY_CONTEXT: Final = Rule(
    "no prefill graph is larger than --context-length",
    Era("0.5.3", value=False, source="server_args.py"),
    Era("0.5.13", value=True, source="server_args.py", sign=r"Clamp to context_length"),
    Era("0.5.17", value=False, source="server_args.py"),
)
MLA_PREFILL_TOKENS: Final = Rule(
    "largest prefill graph of an MLA model, tokens",
    Era("0.5.8", value=2048, source="server_args.py"),
    Era("0.5.23", value=8192, source="arg_groups/memory_hook.py", sign=r"min\(8192, cfg\.chunked_prefill_size\)"),
)

# ---- host pools (HiCache) ------------------------------------------------------------------------------------------

HOST_KINDS: Final[Rule[HostPools]] = Rule(
    "which KV pools have a host pool",
    Era("0.4.0", frozenset(), "managers/scheduler.py"),
    Era("0.4.3.post3", frozenset({"mha"}), "mem_cache/hiradix_cache.py", r"class HiRadixCache"),
    Era("0.4.4.post2", frozenset({"mha", "mla"}), "mem_cache/hiradix_cache.py", r"MLATokenToKVPoolHost\("),
    Era("0.5.9", frozenset({"mha", "mla", "dsa"}), "mem_cache/hiradix_cache.py", r"NSATokenToKVPoolHost\("),
    Era(
        "0.5.10",
        frozenset({"mha", "mla", "dsa", "mamba"}),
        "mem_cache/hi_mamba_radix_cache.py",
        r"class HiMambaRadixCache",
    ),
    Era(
        "0.5.13",
        frozenset({"mha", "mla", "dsa", "mamba", "sliding", "compressed"}),
        "mem_cache/registry.py",
        r"HybridModel launches HiCache via UnifiedRadixCache",
    ),
    Era(
        "0.5.15",
        frozenset({"mha", "mla", "dsa", "mamba", "sliding", "compressed", "minimax"}),
        "mem_cache/hiradix_cache.py",
        r"MiniMaxSparseKVPool",
    ),
)
HOST_RATIO: Final = Rule(
    "the ratio where none is given",
    Era("0.4.3.post3", value=2.0, source="mem_cache/memory_pool.py"),
    Era("0.4.4", value=3.0, source="mem_cache/memory_pool.py", sign=r"host_to_device_ratio: float = 3\.0"),
    Era("0.4.4.post2", value=2.0, source="server_args.py", sign=r"hicache_ratio: float = 2\.0"),
)
HOST_RATIO_BUFFER_ONLY: Final = 1.2
HOST_PAGES: Final = Rule(
    "host tokens are rounded to pages",
    Era("0.4.3.post3", value="exact", source="mem_cache/memory_pool.py"),
    Era("0.4.4.post4", value="down", source="mem_cache/memory_pool.py", sign=r"self\.size % self\.page_size"),
    Era(
        "0.5.5.post3",
        value="one-more",
        source="mem_cache/memory_pool_host.py",
        sign=r"self\.size // self\.page_size \+ 1",
    ),
)
HOST_MINIMUM: Final = Rule(
    "how small a host pool may be",
    Era("0.4.3.post3", value="ratio-1", source="mem_cache/memory_pool.py"),
    Era("0.4.5.post3", value="larger", source="mem_cache/memory_pool.py", sign=r"self\.size > device_pool\.size"),
    Era("0.5.15", value="any", source="mem_cache/pool_host/base.py", sign=r"L2 cache effectiveness is reduced"),
)
HOST_CHECK: Final = Rule(
    "what the engine holds a host pool against before it allocates it",
    Era("0.4.3.post3", value="each", source="mem_cache/memory_pool.py"),
    Era("0.5.19", value="share", source="mem_cache/pool_host/base.py", sign=r"def ranks_per_host"),
    Era("0.5.21", value="share-of-cgroup", source="mem_cache/host_memory.py", sign=r"def available_host_memory_bytes"),
)
HOST_AUTO_SIZE: Final = Rule(
    "without ratio and size the ratio is made to fit, from one snapshot",
    Era("0.4.3.post3", value=False, source="mem_cache/hiradix_cache.py"),
    Era("0.5.21", value=True, source="mem_cache/hicache_auto_size.py", sign=r"def auto_size_hicache"),
)
HOST_PINNING: Final = Rule(
    "how host pools are pinned; torch's own allocator takes the next power of two",
    Era("0.4.3.post3", value="pageable", source="mem_cache/memory_pool.py"),
    Era("0.4.4.post4", value="power-of-two", source="mem_cache/memory_pool.py", sign=r"pin_memory: bool = True"),
    Era("0.5.4.post2", value="registered", source="mem_cache/memory_pool_host.py", sign=r"cudaHostRegister"),
    Era("0.5.13", value="registered-or-fails", source="mem_cache/memory_pool_host.py", sign=r"cudaHostRegister failed"),
)
HOST_NUMA: Final = Rule(
    "each rank binds itself to its GPU's NUMA node before it allocates its pool",
    Era("0.4.3.post3", value=False, source="mem_cache/hiradix_cache.py"),
    Era("0.5.8", value=True, source="mem_cache/hiradix_cache.py", sign=r"bind_to_closest_numa_node_cuda\(\)"),
    Era("0.5.10", value=False, source="mem_cache/hiradix_cache.py"),
)
HOST_DRAFT: Final = Rule(
    "host pools for draft KV rows: beside the target's, or MTP layers inside it",
    Era("0.4.3.post3", value="none", source="managers/scheduler.py"),
    Era("0.5.11", value="beside", source="managers/scheduler.py", sign=r"def _maybe_register_hicache_draft"),
    Era("0.5.18", value="packed", source="speculative/base_spec_worker.py", sign=r"def _can_pack_hicache_mtp"),
)
HOST_SPLIT: Final = Rule(
    "--hicache-size is shared by the pools of a hybrid model (before: each pool gets all of it)",
    Era("0.5.10", value=False, source="mem_cache/hi_mamba_radix_cache.py"),
    Era(
        "0.5.17", value=True, source="mem_cache/hybrid_cache/hybrid_pool_assembler.py", sign=r"def _split_hicache_size"
    ),
)
HOST_INDEX_APART: Final = Rule(
    "DSA index keys are a pool of their own, on top of --hicache-size",
    Era("0.5.9", value=False, source="mem_cache/memory_pool_host.py"),
    Era("0.5.11", value=True, source="mem_cache/memory_pool_host.py", sign=r"class NSAIndexerPoolHost"),
)
HOST_CHECK_FORGETS_LAYERS: Final = Rule(
    "the check and the log line of an MLA host pool count one layer only",
    Era("0.4.4.post2", value=True, source="mem_cache/memory_pool.py"),
    Era("0.4.5.post1", value=False, source="mem_cache/memory_pool.py"),
)
HOST_ENGINE_RESERVE_BYTES: Final = 10 * 2**30
"""What the engine's own check leaves free, in every release that has host pools."""
HOST_AUTO_FRACTION: Final = 0.8
HOST_AUTO_SLACK: Final = 0.05
"""Automatic sizing takes this fraction of the budget, less this slack; both from mem_cache/hicache_auto_size.py."""

RULES: Final = {name: rule for name, rule in globals().items() if isinstance(rule, Rule)}
"""Every rule of this table by its name."""
