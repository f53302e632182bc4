"""Views of one host with budgets, from as little as a test wants to say. Models are those of this repository."""

from __future__ import annotations

from dataclasses import replace

from rules import views
from sgfleet.engine import store
from sgfleet.memory.of_host import HostMemory
from sgfleet.spec.models.fleet import Policy


def gpus(count, name="NVIDIA L40S", memory_mib=46068, capability="8.9", nodes=()):
    """Equal GPUs; `nodes` are their NUMA nodes."""
    made = []
    for index in range(count):
        gpu = {"index": index, "name": name, "memory-mib": memory_mib, "compute-capability": capability}
        made.append(gpu | ({"numa-node": nodes[index]} if nodes else {}))
    return made


def host(services, facts, policy=None):
    """Views of the services and of their host, with one computation behind them: (name -> view, host view)."""
    made = {name: views.service(known=facts, policy=policy, name=name, **keys) for name, keys in services.items()}
    policy = Policy.model_validate(policy or {})
    found = HostMemory({name: view.service for name, view in made.items()}, store.load, facts, policy, None)
    made = {name: replace(view, memory=lambda: found) for name, view in made.items()}
    return made, views.host(made, facts)._replace(policy=policy, memory=lambda: found)


def one(flags, known, *, release="0.5.9", policy=None, **keys):
    """The view of a host's only service."""
    return host({"example": {"flags": flags, "release": release, **keys}}, known, policy)[0]["example"]
