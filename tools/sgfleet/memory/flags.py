"""Flags of a release -> settings: values by destination, defaults filled in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.argv.values import BadValueError, value_of
from sgfleet.memory.era import from_release
from sgfleet.memory.settings import Graphs, Hicache, Settings, SettingsError, Speculative
from sgfleet.memory.units import GIB

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.engine.release import Release

UNMODELLED: Final = {
    "enable_hisparse": "HiSparse",
    "enable_unified_memory": "the unified memory pool",
    "enable_kv_cache_sharding": "KV cache sharding",
    "enable_dsa_cache_layer_split": "the DSA layer split",
    "prefill_only_disable_kv_cache": "running without a KV cache",
    "enable_double_sparsity": "double sparsity",
    "enable_lmcache": "LMCache",
    "enable_flexkv": "FlexKV",
    "enable_pdmux": "PD multiplexing",
    "enable_memory_saver": "the memory saver",
}
"""Switches that change the pools in ways that this arithmetic does not follow: the result then says so."""


def settings_of(
    release: Release,
    flags: Mapping[str, Any],
    environment: Mapping[str, str | int] | None = None,
    doubtful: Mapping[str, str] = MappingProxyType({}),
) -> Settings:
    """The settings of a service from its flags, by any of the release's names.

    `doubtful` are destinations of flags that somebody may have meant with a name that is none, and that name.

    Raises:
        SettingsError: a flag that decides about memory is doubtful, or has a value that is not of its type. Names that
            the release does not have are passed over.
    """
    refused = {dest: SettingsError(name, "is no flag of this release") for dest, name in doubtful.items()}
    values = {flag.dest: release.defaults.get(flag.dest) for flag in release.flags}
    for name, value in flags.items():
        flag = release.by_name.get(name)
        if flag is None or value is None:
            continue
        try:
            values[flag.dest] = value_of(flag, value, name)
        except BadValueError as error:
            refused[flag.dest] = SettingsError(name, error.problem.message.removeprefix(f"{name} "))
    return from_namespace(release.version, _Values(values, refused), environment)


class _Values(Mapping[str, Any]):
    """Values by destination, of which some cannot be used: to ask for one of them is the error."""

    def __init__(self, values: Mapping[str, Any], refused: Mapping[str, SettingsError]) -> None:
        self._values = values
        self._refused = refused

    def __getitem__(self, name: str) -> Any:
        if name in self._refused:
            raise self._refused[name]
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def from_namespace(
    version: str, values: Mapping[str, Any], environment: Mapping[str, str | int] | None = None
) -> Settings:
    """The settings from what the release's own parser stores, by destination.

    Raises:
        SettingsError: a number is missing or out of range.
    """
    read = _Reader(values)
    tp = read.count("tp_size", "tensor_parallel_size")
    attention_dp, replicas = _data_parallel(read, tp)
    speculative = _speculative(read)
    return Settings(
        release=version,
        model_path=str(values.get("model_path") or ""),
        device=read.text("device"),
        tp=tp,
        pp=read.count("pp_size", "pipeline_parallel_size"),
        attention_dp=attention_dp,
        replicas=replicas,
        nodes=read.count("nnodes"),
        ep=tp if read.truth("enable_ep_moe") else read.count("ep_size", "expert_parallel_size"),
        dense_tp=read.integer("moe_dense_tp_size"),
        redundant_experts=read.integer("ep_num_redundant_experts") or 0,
        lm_head_dp=read.truth("enable_dp_lm_head"),
        vision_dp=read.truth("mm_enable_dp_encoder"),
        language_only=read.truth("language_only") or read.truth("language_model_only"),
        all_to_all=read.text("moe_a2a_backend") or "none",
        fraction=read.number("mem_fraction_static"),
        max_total_tokens=read.positive("max_total_tokens"),
        max_running_requests=read.positive("max_running_requests"),
        context_length=read.positive("context_length"),
        page_size=read.positive("page_size"),
        kv_dtype=read.text("kv_cache_dtype") or "auto",
        dtype=read.text("dtype") or "auto",
        chunked_prefill_tokens=read.integer("chunked_prefill_size"),
        max_prefill_tokens=read.integer("max_prefill_tokens") or 16384,
        attention=read.text("attention_backend"),
        attention_prefill=read.text("prefill_attention_backend"),
        attention_decode=read.text("decode_attention_backend"),
        sparse_prefill=read.text("dsa_prefill_backend", "nsa_prefill_backend"),
        sparse_decode=read.text("dsa_decode_backend", "nsa_decode_backend"),
        sliding_ratio=_or(read.number("swa_full_tokens_ratio"), 0.8),
        sliding_pool=not read.truth("disable_hybrid_swa_memory"),
        hybrid_ratio=read.number("hybrid_kvcache_ratio"),
        mamba_ratio=_or(read.number("mamba_full_memory_ratio"), 0.9),
        mamba_slots=read.integer("max_mamba_cache_size"),
        mamba_dtype=read.text("mamba_ssm_dtype"),
        radix_cache=not read.truth("disable_radix_cache"),
        overlap=not read.truth("disable_overlap_schedule"),
        multimodal=values.get("enable_multimodal") or None,
        disaggregation=read.text("disaggregation_mode") or "null",
        quantization=read.text("quantization"),
        graphs=_graphs(read, version),
        speculative=speculative,
        hicache=_hicache(read),
        prefill_graph_blockers=(
            *(name for name in _BLOCKERS if _set(values.get(name))),
            *(name for name in _PARALLEL_BLOCKERS if read.count(name) > 1),
        ),
        environment={name: str(value) for name, value in (environment or {}).items()},
        offload_bytes=int(max(0.0, read.number("cpu_offload_gb") or 0.0) * GIB),
        unmodelled=_unmodelled(read),
    )


_PARALLEL_BLOCKERS: Final = ("attn_cp_size", "dcp_size")
_BLOCKERS: Final = (
    "enable_torch_compile",
    "enable_lora",
    "lora_paths",
    "dllm_algorithm",
    "cpu_offload_gb",
    "enable_hierarchical_cache",
    "enable_deterministic_inference",
    "enable_symm_mem",
    "enable_eplb",
    "expert_distribution_recorder_mode",
    "enable_two_batch_overlap",
    "debug_cuda_graph",
)
"""Flags that take prefill graphs away in the releases that have them by default (not all of them in every release)."""


def _set(value: Any) -> bool:
    return bool(value) and value != "none"


def _or(value: float | None, default: float) -> float:
    return default if value is None else value


class _Reader:
    """Typed look-ups among values by destination, the first name that the release has."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def _find(self, names: tuple[str, ...]) -> tuple[str, Any]:
        return next(
            ((name, self.values[name]) for name in names if self.values.get(name) is not None), (names[0], None)
        )

    def number(self, *names: str) -> float | None:
        """A number, None where it is not set."""
        name, value = self._find(names)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) == math.inf:
            raise SettingsError(name, f"{value!r} is not a number")
        if abs(value) > 2**62:
            raise SettingsError(name, f"{value} is more than there can be of anything")
        return float(value)

    def integer(self, *names: str) -> int | None:
        """A whole number, None where it is not set."""
        value = self.number(*names)
        if value is not None and value != int(value):
            raise SettingsError(self._find(names)[0], f"{value!r} is not a whole number")
        return None if value is None else int(value)

    def positive(self, *names: str) -> int | None:
        """A whole number above 0, None where it is not set."""
        value = self.integer(*names)
        if value is not None and value < 1:
            raise SettingsError(self._find(names)[0], f"{value} is less than 1")
        return value

    def count(self, *names: str) -> int:
        """A number of ranks: at least 1, 1 where it is not set."""
        value = self.integer(*names)
        if value is not None and not 1 <= value <= 2**16:
            raise SettingsError(names[0], f"{value} ranks cannot be")  # the short name, which every release has
        return value or 1

    def text(self, *names: str) -> str | None:
        """Text, None where it is not set or empty."""
        value = self._find(names)[1]
        return str(value) if value not in (None, "") else None

    def truth(self, name: str) -> bool:
        """A switch."""
        return bool(self.values.get(name))


def _data_parallel(read: _Reader, tp: int) -> tuple[int, int]:
    """(attention groups inside the tensor-parallel ranks, copies of the model)."""
    size = read.count("dp_size", "data_parallel_size")
    inside = read.count("attn_dp_size")
    if inside > 1:
        return min(inside, tp), size
    if read.truth("enable_dp_attention"):
        return min(size, tp), 1
    return 1, size


def _speculative(read: _Reader) -> Speculative | None:
    algorithm = read.text("speculative_algorithm")
    if algorithm is None:
        return None
    return Speculative(
        algorithm=algorithm.upper(),
        draft_path=read.text("speculative_draft_model_path"),
        draft_tokens=read.integer("speculative_num_draft_tokens"),
        topk=read.integer("speculative_eagle_topk"),
    )


def _graphs(read: _Reader, version: str) -> Graphs:
    off = read.truth("disable_cuda_graph")
    decode, prefill = _phase(read, "decode"), _phase(read, "prefill")
    backend = prefill.get("backend") or read.text("cuda_graph_backend_prefill")
    wanted, breakable = _prefill_wanted(read, version, backend)
    return Graphs(
        decode=not off and not read.truth("disable_decode_cuda_graph") and decode.get("backend") != "disabled",
        decode_max_batch=max(_sizes(read, decode, "cuda_graph_bs_decode", "cuda_graph_bs"), default=None)
        or _largest(decode)
        or read.positive("cuda_graph_max_bs_decode", "cuda_graph_max_bs"),
        prefill=wanted,
        prefill_breakable=breakable,
        prefill_max_tokens=_largest(prefill)
        or read.positive("cuda_graph_max_bs_prefill", "piecewise_cuda_graph_max_tokens"),
        prefill_sizes=len(_sizes(read, prefill, "cuda_graph_bs_prefill", "piecewise_cuda_graph_tokens")) or None,
    )


def _prefill_wanted(read: _Reader, version: str, backend: str | None) -> tuple[bool | None, bool]:
    """(prefill graphs asked for or not, in the breakable way); None where the release is to choose."""
    if backend is not None:
        return backend != "disabled", backend == "breakable"
    if read.truth("enforce_piecewise_cuda_graph") or read.truth("enable_piecewise_cuda_graph"):
        return True, False
    both_off = read.truth("disable_cuda_graph") and from_release(version, "0.5.14")  # before, it meant decoding alone
    if both_off or read.truth("disable_prefill_cuda_graph") or read.truth("disable_piecewise_cuda_graph"):
        return False, True
    return None, True


def _phase(read: _Reader, name: str) -> dict[str, Any]:
    """One phase of --cuda-graph-config, which goes before the other flags."""
    config = read.values.get("cuda_graph_config")
    phase = config.get(name) if isinstance(config, dict) else None
    return phase if isinstance(phase, dict) else {}


def _sizes(read: _Reader, phase: Mapping[str, Any], *names: str) -> list[int]:
    """Sizes that are listed one by one."""
    found = ((name, phase.get("bs") if name == "cuda_graph_config" else read.values.get(name))
             for name in ("cuda_graph_config", *names))  # fmt: skip
    name, listed = next((each for each in found if each[1]), ("", None))
    sizes = listed if isinstance(listed, list) else []
    if not all(isinstance(size, int) and 0 < size < 2**31 for size in sizes):
        raise SettingsError(name, "is not a list of sizes")
    return sizes


def _largest(phase: Mapping[str, Any]) -> int | None:
    """The largest size of a phase of --cuda-graph-config."""
    size = phase.get("max_bs")
    if size is not None and not (isinstance(size, int) and 0 < size < 2**31):
        raise SettingsError("cuda-graph-config", "max_bs is not a size")
    return size


def _hicache(read: _Reader) -> Hicache | None:
    if not read.truth("enable_hierarchical_cache"):
        return None
    ratio = read.number("hicache_ratio")
    if ratio is not None and not 0 <= ratio < 2**20:
        raise SettingsError("hicache-ratio", f"{ratio:g} is no ratio")
    return Hicache(
        ratio=ratio,
        size_gb=max(0.0, read.number("hicache_size") or 0.0),
        layout=read.text("hicache_mem_layout") or "layer_first",
        storage=read.text("hicache_storage_backend"),
        fraction=_or(read.number("hicache_host_memory_fraction"), 0.8),
        buffer_only=read.text("hicache_host_memory_mode") == "buffer_only",
        numa_bind=not read.truth("disable_hicache_numa_detect"),
    )


def _unmodelled(read: _Reader) -> tuple[tuple[str, str], ...]:
    """What is asked for and not followed: the flag, and what it does.

    `cpu_offload_gb` counts GiB of each rank, for which parameters are copied into pinned RAM one by one while they load
    (srt/utils.py in 0.4.0, srt/utils/offloader.py in 0.5.9 and 0.5.23); groups of layers go there otherwise.
    """
    found = [(name, words) for name, words in UNMODELLED.items() if read.truth(name)]
    if read.count("dcp_size") > 1:
        found.append(("dcp_size", "decode context parallelism"))
    if read.count("attn_cp_size") > 1:
        found.append(("attn_cp_size", "attention context parallelism"))
    if (size := read.number("cpu_offload_gb") or 0) > 0:
        words = f"offloading of weights to the host, where each rank pins up to {size:,g} GiB of RAM for them"
        found.append(("cpu_offload_gb", words))
    if (read.number("offload_group_size") or 0) > 0:
        found.append(("offload_group_size", "offloading of groups of layers to the host"))
    return tuple((name.replace("_", "-"), words) for name, words in found)
