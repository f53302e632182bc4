"""Bounds of numbers: what follows from what a flag counts, and what releases check when they start or first use it.

A bound is a fact of a release's code, as of srt/server_args.py, from 0.5.19 on srt/arg_groups/*.py, or the module that
is named beside it; `since` is the first release with the check where what is counted does not say it already.

A flag is looked for by every name that its release gives it: which one comes first changes from release to release.
A flag that is not here is held against `ANY` alone: what it takes below zero, or at zero, it takes on purpose ("off",
"no limit"), or nobody has read the code that uses it (tests/rules/flags/test_flag_bounds.py names them all).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from sgfleet.engine.flag import Flag


class Bounds(NamedTuple):
    """Least and greatest value.

    `above` and `below` leave the ends themselves out, `but` is a value between them that is none. `infinite` lets
    infinity pass. `since` is the first release that checks. `why` says where `most` comes from.
    """

    least: float
    most: float | None = None
    above: bool = False
    below: bool = False
    but: float | None = None
    infinite: bool = False
    since: str | None = None
    why: str | None = None


LARGEST: Final = 2**63 - 1
"""What 64 bits hold; a default of some releases, for no limit."""

_COUNT: Final = Bounds(1)
_COUNT_OR_NONE: Final = Bounds(0)
_FRACTION: Final = Bounds(0, 1)
PORT: Final = Bounds(1, 65_535)
_TOKENS: Final = Bounds(1, 2**31 - 1, why="srt/mem_cache/memory_pool.py: the place of a token is a number of 32 bits")
_SECONDS: Final = Bounds(0, 2**33, above=True, why="Python waits for 2**33 seconds at most")
_GB: Final = Bounds(0, 1_000_000, why="no machine has a petabyte of RAM")

ANY: Final = Bounds(-LARGEST, LARGEST, why="no number of 64 bits is larger")
"""For every number."""

BOUNDS: Final = {
    "mem-fraction-static": Bounds(0, 1, above=True, below=True),
    # ranks and machines
    "tensor-parallel-size": _COUNT,
    "pipeline-parallel-size": _COUNT,
    "data-parallel-size": _COUNT,
    "expert-parallel-size": _COUNT,
    "attention-context-parallel-size": _COUNT,
    "moe-data-parallel-size": _COUNT,
    "attn-dp-size": _COUNT,
    "dcp-size": _COUNT,
    "moe-dense-tp-size": _COUNT,
    "shared-experts-tp-size": _COUNT,
    "disaggregation-decode-tp": _COUNT,
    "disaggregation-decode-dp": _COUNT,
    "disaggregation-prefill-pp": _COUNT,
    "elastic-ep-initial-size": _COUNT,
    "elastic-ep-join-rank-offset": _COUNT_OR_NONE,
    "max-ep-size": _COUNT,
    "nnodes": _COUNT,
    "node-rank": _COUNT_OR_NONE,
    "base-gpu-id": _COUNT_OR_NONE,
    "gpu-id-step": _COUNT,
    "pp-max-micro-batch-size": _COUNT._replace(since="0.5.11"),
    "ep-num-redundant-experts": _COUNT_OR_NONE,
    "eplb-rebalance-num-iterations": _COUNT,
    "eplb-rebalance-layers-per-chunk": _COUNT,
    # ports
    "port": PORT,
    "nccl-port": PORT,
    "grpc-port": PORT,
    "smg-http-sidecar-port": PORT,
    "grpc-http-sidecar-port": PORT,
    "disaggregation-bootstrap-port": PORT,
    "engine-info-bootstrap-port": PORT,
    "encoder-bootstrap-port": PORT,
    "gated-launch-port": PORT,
    "remote-instance-weight-loader-seed-instance-service-port": PORT,
    # tokens and requests
    "context-length": _TOKENS,
    "page-size": _TOKENS,
    "max-running-requests": _TOKENS,
    "max-queued-requests": _COUNT,
    "prefill-max-requests": _COUNT,
    "max-total-tokens": _TOKENS,
    "max-prefill-tokens": _TOKENS,
    "chunked-prefill-size": _TOKENS._replace(least=-1),
    "num-reserved-decode-tokens": _COUNT_OR_NONE,
    "disaggregation-decode-extra-slots": _COUNT_OR_NONE,
    "num-continuous-decode-steps": _COUNT,
    "prefill-decode-interval": _COUNT_OR_NONE,
    "prefill-decode-interval-min-bs": _COUNT_OR_NONE,
    "sampling-mask-max-tokens": _COUNT,
    "stream-interval": _COUNT,
    "decode-log-interval": _COUNT,
    "disaggregation-decode-polling-interval": _COUNT,
    "schedule-conservativeness": _COUNT_OR_NONE,
    "swa-full-tokens-ratio": Bounds(0, 1, above=True, since="0.5.7"),
    "swa-prefix-tails": _COUNT_OR_NONE,
    "max-mamba-cache-size": _COUNT_OR_NONE,
    "mamba-full-memory-ratio": _COUNT_OR_NONE,
    "mamba-track-interval": _COUNT,
    "mamba-max-states-per-path": Bounds(-1, but=0),
    "mamba-cache-philox-rounds": _COUNT_OR_NONE,
    "linear-replayssm-cache-len": _COUNT,
    "c128-page-size": _COUNT,
    "dllm-block-size": _COUNT,
    # graphs: from 0.5.14 on those of decoding and those of prefill have sizes of their own
    "cuda-graph-max-bs": _TOKENS,
    "cuda-graph-max-bs-decode": _TOKENS,
    "cuda-graph-max-bs-prefill": _TOKENS,
    "piecewise-cuda-graph-max-tokens": _TOKENS,
    "cuda-graph-bs": _TOKENS,
    "cuda-graph-bs-decode": _TOKENS,
    "cuda-graph-bs-prefill": _TOKENS,
    "piecewise-cuda-graph-tokens": _TOKENS,
    "cuda-graph-prefill-max-context": _TOKENS,
    "cuda-graph-max-seq-len-prefill": _TOKENS,
    # host memory
    "hicache-ratio": Bounds(0, 1_000_000, above=True, why="no machine has a million times its GPUs' memory as RAM"),
    "hicache-size": _GB,
    "hicache-host-memory-fraction": Bounds(0, 1, above=True),
    "hicache-storage-prefetch-retry-max-attempts": _COUNT_OR_NONE,
    "cpu-offload-gb": _GB,
    "mm-preprocess-cache-size-mb": _COUNT_OR_NONE,
    # speculative decoding and LoRA
    "speculative-num-steps": _COUNT_OR_NONE,
    "speculative-eagle-topk": _COUNT,
    "speculative-num-draft-tokens": _COUNT,
    "speculative-draft-window-size": _COUNT,
    "speculative-dflash-draft-window-size": _COUNT,
    "speculative-draft-sink-size": _COUNT_OR_NONE,
    "speculative-dflash-block-size": _COUNT,
    "speculative-dspark-block-size": _COUNT,
    "max-loras-per-batch": _COUNT,
    "max-loaded-loras": _COUNT,
    "max-lora-rank": _COUNT,
    "lora-drain-wait-threshold": _COUNT_OR_NONE,
    # workers and what they take at once
    "tokenizer-worker-num": _COUNT,
    "detokenizer-worker-num": _COUNT,
    "mm-processor-worker-num": _COUNT_OR_NONE,
    "mm-io-worker-num": _COUNT_OR_NONE,
    "mm-max-concurrent-calls": _COUNT,
    "dynamic-batch-tokenizer-batch-size": _COUNT,
    "weight-loader-prefetch-num-threads": _COUNT,
    "triton-attention-num-kv-splits": _COUNT,
    "triton-attention-split-tile-size": _COUNT,
    "asr-max-buffer-seconds": _COUNT,
    "asr-max-concurrent-sessions": _COUNT,
    "media-url-max-file-size-mb": _COUNT_OR_NONE,
    "http2-max-concurrent-streams": Bounds(1, 2**32 - 1),
    "http2-initial-connection-window-size": Bounds(1024, 2**31 - 1),
    # times: a watchdog sleeps for half of its own (srt/utils/watchdog.py), and at 0 it ends what has just begun
    "watchdog-timeout": _SECONDS,
    "soft-watchdog-timeout": _SECONDS,
    "dist-timeout": _SECONDS,
    "elastic-ep-scale-timeout": _SECONDS,
    "grpc-response-timeout-secs": _SECONDS,
    "mm-per-request-timeout": _SECONDS,
    "weight-cache-timeout": _SECONDS._replace(above=False),
    "load-watch-interval": _SECONDS._replace(above=False),
    "dynamic-batch-tokenizer-batch-timeout": _SECONDS._replace(above=False),
    # others
    "random-seed": Bounds(0, 2**32 - 1, why="NumPy takes no other seed (set_random_seed)"),
    "decoupled-spec-rank": _COUNT_OR_NONE,
    "constrained-json-max-whitespace-cnt": _COUNT_OR_NONE,
    "return-aux-hidden-state-layer-ids": _COUNT_OR_NONE,
    "paged-experts-num-resident": _COUNT,
    "disaggregation-decode-host-receive-threshold": _FRACTION,
    "eplb-min-rebalancing-utilization-threshold": _FRACTION,
    "bucket-time-to-first-token": ANY._replace(infinite=True),
    "bucket-inter-token-latency": ANY._replace(infinite=True),
    "bucket-e2e-request-latency": ANY._replace(infinite=True),
    "prefill-delayer-forward-passes-buckets": ANY._replace(infinite=True),
    "prefill-delayer-wait-seconds-buckets": ANY._replace(infinite=True),
}  # fmt: skip
"""Any name of a flag -> its bounds. The last bucket of a histogram may be infinite."""


def bounds_of(flag: Flag) -> Bounds:
    """What a flag's numbers are held against, whichever of its names its release lists first."""
    return next((BOUNDS[name] for name in flag.names if name in BOUNDS), ANY)


def outside(value: float, bounds: Bounds) -> str | None:
    """What is wrong with a value, None where nothing is."""
    if value != value:  # not a number: every comparison with it is false
        return "must be a number"
    least, most = bounds.least, LARGEST if bounds.most is None else bounds.most
    if value in (float("inf"), -float("inf")) and (bounds.infinite or bounds.most in (None, LARGEST)):
        return None if bounds.infinite else "must be finite"
    if value < least or (value == least and bounds.above):
        return f"must be {'more than' if bounds.above else 'at least'} {figure(least)}"
    if value > most or (value == most and bounds.below):
        return f"must be {'less than' if bounds.below else 'at most'} {figure(most)}"
    return f"must not be {figure(value)}" if value == bounds.but else None


_PLAIN: Final = 10**5
_EXACT: Final = 2**53
_COUNTABLE: Final = 10**20


def figure(value: float) -> str:
    """A number as people read it: all of its digits as long as they can be counted."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        value = int(value)
    if not isinstance(value, int):
        return f"{value:g}"
    if abs(value) < _COUNTABLE:
        return str(value) if abs(value) < _PLAIN else f"{value:,}"
    digits = str(abs(value))  # of an integer that no floating-point number need hold
    return f"{'-' if value < 0 else ''}{digits[0]}.{digits[1:3]}e+{len(digits) - 1}"
