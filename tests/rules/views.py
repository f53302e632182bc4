"""Views for rules, from as little as a test wants to say."""

from __future__ import annotations

import datetime

from sgfleet.engine import store
from sgfleet.rules.rule import FleetView, HostView, MachineView
from sgfleet.spec.models.facts import Facts
from sgfleet.spec.models.fleet import Policy
from sgfleet.spec.models.service import Service

RELEASE = "0.5.9"
TODAY = datetime.date(2026, 5, 1)


def facts(**keys):
    """Facts of `example-01`; `gpus=N` are N equal ones."""
    count = keys.pop("gpus", None)
    if isinstance(count, int):
        keys["gpus"] = [{"index": index, "name": "NVIDIA L40S", "memory-mib": 46068} for index in range(count)]
    elif count is not None:
        keys["gpus"] = count
    return Facts.model_validate({"format": 1, "host": "example-01", **keys})


def service(flags=None, *, release=RELEASE, name="example", policy=None, known=None, **keys):
    """A service of `example-01`. Keys have underscores for dashes; `known` are its host's facts."""
    given = {"release": release, "python": "/opt/sglang/bin/python3", "flags": {"model-path": "/m", **(flags or {})}}
    given |= {key.replace("_", "-"): value for key, value in keys.items()}
    try:
        schema = store.load(release)
    except store.UnknownReleaseError:
        schema = None
    return MachineView(
        name,
        Service.model_validate(given),
        Policy.model_validate(policy or {}),
        schema,
        host="example-01",
        facts=known,
    )


def host(services, known=None, policy=None, today=TODAY):
    """A host with views of services by name."""
    return HostView("example-01", services, Policy.model_validate(policy or {}), known, today)


def fleet(policy, hosts=None):
    """The fleet's own file."""
    return FleetView(Policy.model_validate(policy), hosts or {})
