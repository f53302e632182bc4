"""Check: the host has the hardware that its committed facts promise.

Budgets and reviews stand on facts.yaml. A GPU that fell off the bus, another card in a slot or a memory module that
failed makes them void, and the service that runs may be the last that starts on this host. GPUs are told apart by
index; sizes may differ by the local tolerance, since a driver's own share changes with its version.

Where nothing can be read of GPUs (no NVML, no nvidia-smi), that is a problem only if the committed facts have GPUs or
the service names some. A host whose facts list none passes, and so does a service with `device: cpu` anywhere: no GPU
matters to it. (That a service without it has no GPU at all on such a host is SRV003, which the check of the spec says.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.agent.reason import Reason
from sgfleet.memory.units import MIB, gib

if TYPE_CHECKING:
    from sgfleet.agent.admission.situation import Situation
    from sgfleet.spec.models.facts import Gpu

_HELP: Final = "mend it; or sgfleet facts on this host, commit what it writes, and let the spec follow"


def check(situation: Situation) -> Reason | None:
    """The first thing that is not as promised."""
    return (_gpus(situation) if situation.may_use_gpus else None) or _ram(situation)


def _gpus(situation: Situation) -> Reason | None:
    committed = situation.spec.facts
    promised = {gpu.index: gpu for gpu in (committed.gpus if committed is not None else None) or ()}
    asked = situation.service.gpus
    wanted = set(promised) if asked == "all" else set(asked)
    if situation.live.gpus is None:
        if wanted:
            why = situation.probed.unknown.get("gpus", "nobody says why")
            return Reason("facts", f"{_named(wanted)} are wanted, and no GPU of this host can be read: {why}", _HELP)
    else:
        live = {gpu.index: gpu for gpu in situation.live.gpus}
        if missing := wanted - live.keys():
            return Reason("facts", f"{_named(missing)} of {len(wanted)} wanted are not on this host now", _HELP)
        for index in sorted(wanted & promised.keys()):
            if difference := _difference(promised[index], live[index], situation.local.tolerance):
                return Reason("facts", f"GPU {index} is not the one of facts.yaml: {difference}", _HELP)
    return None


def _ram(situation: Situation) -> Reason | None:
    committed = situation.spec.facts
    total = committed.memory.total_bytes if committed is not None else None
    here = situation.live.memory.total_bytes
    if total is not None and here is not None and here < total * (1 - situation.local.tolerance):
        text = f"the host has {gib(here)} of RAM now, and facts.yaml says {gib(total)}"
        return Reason("facts", text, _HELP)
    return None


def _named(indices: set[int]) -> str:
    return f"GPU {', '.join(map(str, sorted(indices)))}"


def _difference(promised: Gpu, live: Gpu, tolerance: float) -> str | None:
    """What differs between two readings of a GPU, as far as both say it."""
    if live.problem is not None:
        return None  # what it says of itself then is worth nothing; the check of GPUs has named it if it is needed
    if "unknown" not in {promised.name, live.name} and promised.name != live.name:
        return f"{live.name} instead of {promised.name}"
    if bool(promised.mig) != bool(live.mig):
        return f"MIG is {'on' if live.mig else 'off'}"
    if promised.memory_mib and live.memory_mib:
        apart = abs(promised.memory_mib - live.memory_mib)
        if apart > promised.memory_mib * tolerance:
            return f"{gib(live.memory_mib * MIB)} of memory instead of {gib(promised.memory_mib * MIB)}"
    return None
