"""A plan for programs: bytes and seconds as whole numbers, the form versioned; schema/output/plan.schema.json.

`format` changes when a reader of the old form would go wrong; new keys do not change it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sgfleet.output.json_answer import json_text
from sgfleet.output.json_format import as_data

if TYPE_CHECKING:
    from sgfleet.memory.load_time import LoadTime
    from sgfleet.plan.records import HostChange, HostRam, Plan, Revision, ServiceChange, ServiceMemory

FORMAT: Final = 1


def as_json(plan: Plan) -> str:
    """The whole document."""
    lost = plan.lost
    document = {
        "format": FORMAT,
        "before": _revision(plan.before),
        "after": _revision(plan.after),
        "files": plan.files,
        "causes": list(plan.causes),
        "unchanged_hosts": plan.others,
        "hosts": [_host(host) for host in plan.hosts],
        "findings": {
            "new": [as_data(each) for each in plan.all_new],
            "gone": [as_data(each) for each in plan.all_gone],
            "kept": [as_data(each) for each in plan.all_kept],
        },
        "summary": {
            "services": {str(kind): number for kind, number in plan.counts.items()},
            "lost_capacity": {
                "seconds": lost.seconds,
                "services": lost.services,
                "unknown": lost.unknown,
                "at_least": lost.is_least,
                "estimated": lost.estimated,
            },
            "errors": plan.errors,
        },
        "failures": [{"code": each.code, "subject": each.subject, "error": each.error} for each in plan.crashes],
    }
    return json_text(document, indent=2) + "\n"


def _revision(side: Revision) -> dict[str, Any]:
    return {"name": side.name, "commit": side.commit}


def _host(host: HostChange) -> dict[str, Any]:
    return {
        "host": host.name,
        "presence": host.presence,
        "services": [_service(each) for each in host.services],
        "ram": {"before": _ram(host.ram_before), "after": _ram(host.ram_after)},
        "notes": list(host.notes),
    }


def _service(service: ServiceChange) -> dict[str, Any]:
    return {
        "service": service.name,
        "change": str(service.kind),
        "counterpart": service.counterpart,
        "leaves": service.leaves,
        "reasons": [
            {"what": each.what, "consequence": each.consequence, "path": each.path} for each in service.reasons
        ],
        "memory": {"before": _memory(service.before), "after": _memory(service.after)},
        "load": _load(service.load),
        "diff": list(service.diff),
    }


def _memory(memory: ServiceMemory | None) -> dict[str, Any] | None:
    if memory is None:
        return None
    known = memory.unknown is None
    return {
        "verdict": memory.verdict,
        "kv_tokens": memory.kv_tokens if known else None,
        "error_tokens": memory.error_tokens if known else None,
        "measured": memory.measured,
        "ranks": memory.ranks if known else None,
        "pinned_bytes": memory.pinned_bytes if known else None,
        "said": list(memory.said),
        "unknown": memory.unknown,
    }


def _ram(ram: HostRam | None) -> dict[str, Any] | None:
    if ram is None:
        return None
    return {
        "available_bytes": ram.available_bytes,
        "pinned_bytes": None if ram.uncounted else ram.pinned_bytes,
        "left_bytes": None if ram.uncounted else ram.left_bytes,
        "reserve_bytes": ram.reserve_bytes,
        "fits": ram.fits,
        "uncounted": list(ram.uncounted),
    }


def _load(load: LoadTime | None) -> dict[str, Any] | None:
    if load is None:
        return None
    return {
        "seconds": load.seconds,
        "origin": load.origin,
        "least_seconds": load.least_seconds,
        "most_seconds": load.most_seconds,
        "detail": load.detail,
    }
