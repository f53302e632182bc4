"""/server_info (/get_server_info before 0.5.6), as every release answers it -> what was measured. Pure.

The answer holds every setting of the server, its API key in clear: only figures and settings of a fixed list are taken.
"""

from __future__ import annotations

from typing import Any

from sgfleet.observe import settings
from sgfleet.observe.observation import Measured, release_of


def looks_like(data: Any) -> bool:
    """Whether it is such an answer: some figure of the scheduler, or the settings of a server."""
    return isinstance(data, dict) and bool({"max_total_num_tokens", "internal_states", "tp_size"} & data.keys())


def measure(data: dict[str, Any]) -> Measured:
    """The figures of the answer. `internal_states` has an entry for each data-parallel rank, from 0.4.6 on."""
    states = data.get("internal_states")
    states = [states] if isinstance(states, dict) else states if isinstance(states, list) else []
    usages = [
        usage for state in states if isinstance(state, dict) and isinstance(usage := state.get("memory_usage"), dict)
    ]
    tokens = [*(_count(usage.get("token_capacity")) for usage in usages), _count(data.get("max_total_num_tokens"))]
    measured = Measured(
        release=release_of(data.get("version")),
        version=_version(data.get("version")),
        kv_tokens=min((each for each in tokens if each is not None), default=None),
        swa_tokens=min((each for usage in usages if (each := _count(usage.get("token_capacity_swa")))), default=None),
        kv_pool_gib=_most(usage.get("kvcache") for usage in usages),
        weights_gib=_most(usage.get("weight") for usage in usages),
        graphs_gib=_most(_graphs(usage) for usage in usages),
        context_tokens=_count(data.get("context_length")),
        max_running_requests=_running(data, states),
        settings=settings.chosen(data),
        # It answers only when it is up.
        ready=True,
    )
    free = [gib for usage in usages if (gib := _gib(usage.get("startup_available"))) is not None]
    measured.free_after_gib_min, measured.free_after_gib_max = min(free, default=None), max(free, default=None)
    if measured.release is None and isinstance(data.get("version"), str):
        measured.notes.append("the server's version is no final or post release")
    return measured


def _version(value: Any) -> str | None:
    """Also one of a development build: printable, and no longer than such a name is."""
    return value if isinstance(value, str) and 0 < len(value) < 65 and value.isprintable() else None


def _running(data: dict[str, Any], states: list[Any]) -> int | None:
    each = [_count(state.get("effective_max_running_requests_per_dp")) for state in states if isinstance(state, dict)]
    known = [count for count in each if count is not None]
    return min(known) if known else _count(data.get("max_running_requests"))


def _graphs(usage: dict[str, Any]) -> float | None:
    """A figure (`cuda_graph` in 0.4.9 and 0.5.1), or one for each phase of a target and a draft (0.5.23)."""
    graph = usage.get("graph", usage.get("cuda_graph"))
    if isinstance(graph, dict):
        parts = [each for value in graph.values() if (each := _gib(value)) is not None]
        return sum(parts) if parts else None
    return _gib(graph)


def _most(values: Any) -> float | None:
    known = [each for value in values if (each := _gib(value)) is not None]
    return max(known, default=None)


def _gib(value: Any) -> float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return round(float(value), 3) if number and 0 <= value < 2**20 else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None
