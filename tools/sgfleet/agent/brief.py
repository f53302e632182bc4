"""What the gate and the start budget need to know of a unit, kept beside it: the repository may be gone by then."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sgfleet.agent.address import Address, Key, address_of
from sgfleet.agent.promise import KvTokens, Promise, promise_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.engine.release import Release
    from sgfleet.memory.of_host import HostMemory
    from sgfleet.spec.models.facts import Facts
    from sgfleet.spec.models.service import Service


@dataclass(frozen=True, slots=True)
class Brief:
    """`gpus`: indices, None for all. `budget_seconds`: the limit of a load that the spec sets. `health_url`:
    what is asked besides, on this machine."""

    service: str
    release: str
    promise: Promise
    address: Address
    gpus: tuple[int, ...] | None = None
    budget_seconds: float | None = None
    health_url: str | None = None

    def encoded(self) -> dict[str, Any]:
        """As JSON. A key that stands in the spec in clear is not in it."""
        data = dataclasses.asdict(self)
        if data["address"]["key"] is not None:
            data["address"]["key"]["text"] = None
        return data


def brief_of(name: str, service: Service, release: Release, memory: HostMemory, facts: Facts | None) -> Brief:
    """The brief of a service as its spec is."""
    observed = facts.observed.get(name) if facts is not None else None
    is_known = observed is None or bool(observed.settings)
    budget = service.start.budget
    return Brief(
        service=name,
        release=service.release,
        promise=promise_of(name, service, release, memory, settings_are_known=is_known),
        address=address_of(service, release),
        gpus=None if service.gpus == "all" else tuple(service.gpus),
        budget_seconds=None if budget is None else float(budget),
        health_url=service.start.health_url,
    )


def decode(data: Mapping[str, Any] | None) -> Brief | None:
    """What `encoded` gave; None where it is not that."""
    if data is None:
        return None
    try:
        promise, address = dict(data["promise"]), dict(data["address"])
        tokens, key = promise.pop("kv_tokens"), address.pop("key")
        unknown = tuple(promise.pop("unknown"))
        return Brief(
            service=data["service"],
            release=data["release"],
            promise=Promise(**promise, kv_tokens=tokens and KvTokens(**tokens), unknown=unknown),
            address=Address(**address, key=key and Key(key["text"], key["variable"], tuple(key["files"]))),
            gpus=None if data["gpus"] is None else tuple(data["gpus"]),
            budget_seconds=data["budget_seconds"],
            health_url=data.get("health_url"),
        )
    except (TypeError, LookupError, ValueError, AttributeError):
        return None
