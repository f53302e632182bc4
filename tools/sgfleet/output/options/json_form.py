"""The options for programs: bytes and tokens as whole numbers, the form versioned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sgfleet.output.json_answer import json_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgfleet.options.option import Option, ServiceOptions
    from sgfleet.options.reload import Reload
    from sgfleet.options.situation import Capacity

FORMAT: Final = 1


def as_json(services: Iterable[ServiceOptions]) -> str:
    """All services in one document."""
    return json_text({"format": FORMAT, "services": [_service(each) for each in services]}, indent=2) + "\n"


def _service(of: ServiceOptions) -> dict[str, Any]:
    head: dict[str, Any] = {"host": of.host, "service": of.name}
    if of.unknown is not None or of.now is None:
        return {**head, "unknown": of.unknown, "help": of.help}
    return {
        **head,
        "now": _capacity(of.now),
        "running_requests": of.requests,
        "context_tokens": of.context_tokens,
        "reload": _reload(of.reload),
        "start_seconds": of.start_seconds,
        "start_seconds_is_lower_bound": of.at_least,
        "options": [_option(number, option) for number, option in enumerate(of.options, 1)],
        "not_possible": [{"title": each.title, "reason": each.reason, "unknown": each.unknown} for each in of.ruled],
        "notes": list(of.notes),
    }


def _capacity(capacity: Capacity) -> dict[str, Any]:
    return {
        "gpu_tokens": capacity.gpu_tokens,
        "gpu_error_tokens": capacity.error_tokens,
        "gpu_origin": capacity.origin,
        "longest_request_tokens": capacity.request_tokens,
        "ram_tokens": capacity.ram_tokens,
        "ram_bytes": capacity.ram_bytes,
        "ram_left_bytes": capacity.ram_left_bytes,
        "gpu_left_bytes": capacity.gpu_left_bytes,
        "memory_fraction": round(capacity.fraction, 4),
        "hicache_ratio": capacity.ratio,
    }


def _option(number: int, option: Option) -> dict[str, Any]:
    move = option.move
    return {
        "number": number,
        "kind": move.kind,
        "title": move.title,
        "flags": dict(move.flags),
        "capacity": _capacity(option.capacity),
        "risk": move.risk.word,
        "risks": list(option.risks),
        "costs": list(move.costs),
        "accuracy": move.accuracy,
        "restart": True,
        "patch": option.patch.unified,
        "patch_notes": list(option.patch.notes),
    }


def _reload(reload: Reload | None) -> dict[str, Any] | None:
    if reload is None:
        return None
    return {
        "tokens": reload.tokens,
        "bytes_a_rank": reload.rank_bytes,
        "reload_seconds": round(reload.reload_seconds, 4),
        "compute_seconds": None if reload.compute_seconds is None else round(reload.compute_seconds, 3),
        "even_tokens_a_second": round(reload.even_tokens_a_second),
        "origin": "estimated",
        "assumptions": list(reload.assumptions),
    }
