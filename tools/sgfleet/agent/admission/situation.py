"""What the checks look at: what shall run, and the host as it is now. Everything is read once, when first asked for."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sgfleet.agent import installed
from sgfleet.agent.brief import decode
from sgfleet.agent.promise import flag_values
from sgfleet.agent.record import ABSENT, Record
from sgfleet.facts.memory import sizes
from sgfleet.facts.merge import merged
from sgfleet.facts.probe import probe
from sgfleet.spec import valid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.agent.admission.gpu_processes import GpuUse
    from sgfleet.agent.admission.pools import Pools
    from sgfleet.agent.brief import Brief
    from sgfleet.agent.local import Local
    from sgfleet.agent.store import Store
    from sgfleet.engine.release import Release
    from sgfleet.facts.machine import Machine
    from sgfleet.facts.probe import Probe
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.memory.of_host import Unknown
    from sgfleet.spec.host_spec import HostSpec
    from sgfleet.spec.models.facts import Facts, Gpu
    from sgfleet.spec.models.service import Service
    from sgfleet.systemd.port import Manager, UnitState


@dataclass(eq=False)
class Situation:
    """One service that shall be applied, and its host.

    `text` is the unit as rendered and `unit` its hash; `workspace` stands on the tree of the commit, and `spec` is this
    host there. `present` is what systemd says of the service now. A property raises what its reading raises: a check
    that cannot look does not pass.
    """

    local: Local
    name: str
    text: str
    unit: str
    brief: Brief | None
    workspace: Workspace
    spec: HostSpec
    manager: Manager
    store: Store
    machine: Machine
    present: UnitState

    @cached_property
    def service(self) -> Service:
        """The service as its spec is."""
        return self.spec.services[self.name].service

    @cached_property
    def release(self) -> Release:
        """Its release: without one, it could not have been rendered."""
        release = self.workspace.release(self.service.release)
        if release is None:
            raise LookupError(self.workspace.lacks(self.service.release)[0])
        return release

    @cached_property
    def flags(self) -> Mapping[str, Any]:
        """Its flags, by the names of the server's settings (`model_path`)."""
        return flag_values(self.service, self.release)

    @cached_property
    def probed(self) -> Probe:
        """The machine as it is now."""
        return probe(self.machine)

    @cached_property
    def live(self) -> Facts:
        """What was read of it now, and nothing else."""
        return valid.facts({"format": 1, "host": self.spec.name, **self.probed.parts})

    @cached_property
    def facts(self) -> Facts:
        """The committed facts with what was read now in their place; what could not be read stays."""
        document = self.spec.facts_document
        known = document.data if document is not None and self.spec.facts is not None else {}
        now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return valid.facts({"format": 1, "host": self.spec.name, **merged(known, self.probed, now)})

    @cached_property
    def gpus(self) -> tuple[Gpu, ...] | None:
        """The GPUs of the host that the service may use, as they are now; None where nothing can be read of GPUs."""
        if self.live.gpus is None:
            return None
        asked = self.service.gpus
        return tuple(gpu for gpu in self.live.gpus if asked == "all" or gpu.index in asked)

    @property
    def may_use_gpus(self) -> bool:
        """Whether GPUs matter to it: not on the CPU, nor on a host whose facts say that there are none."""
        if self.flags.get("device") not in {None, "cuda"}:
            return False
        committed = self.spec.facts
        return self.service.gpus != "all" or committed is None or committed.gpus != ()

    @cached_property
    def gpu_use(self) -> tuple[GpuUse, ...]:
        """What every GPU of the host is used for now."""
        from sgfleet.agent.admission.gpu_processes import read

        return read(self.machine, self.live.gpus or ())

    @cached_property
    def pools(self) -> Pools | Unknown | None:
        """What it pins of the host's RAM; None for nothing."""
        from sgfleet.agent.admission.pools import pools_of

        return pools_of(self)

    @cached_property
    def record(self) -> Record:
        """What the agent remembers of the service."""
        state = self.store.load()
        known = state.services.get(self.name) if state is not None else None
        return Record() if known is None else known.record

    @cached_property
    def _meminfo(self) -> dict[str, int]:
        found = sizes(self.machine.read("/proc/meminfo") or "")
        if not {"MemAvailable", "MemTotal"} <= found.keys():
            raise OSError("/proc/meminfo does not say how much memory there is")
        return found

    @property
    def available_bytes(self) -> int:
        """MemAvailable, with all services as they run now."""
        return self._meminfo["MemAvailable"]

    @cached_property
    def own_processes(self) -> frozenset[int]:
        """The processes of the service that runs now."""
        group = self.present.control_group
        return frozenset(self.manager.processes(group)) if group else frozenset()

    @cached_property
    def owners(self) -> dict[int, str]:
        """Process -> the unit of ours that it belongs to, for all units of ours on this host."""
        ours = [
            unit
            for unit in self.manager.installed()
            if installed.read(self.manager.read(unit), self.local.host, unit.removesuffix(".service")).unit != ABSENT
        ]
        found = dict.fromkeys(self.own_processes, f"{self.name}.service")
        for unit, state in self.manager.show(ours).items():
            if state.control_group:
                found |= dict.fromkeys(self.manager.processes(state.control_group), unit)
        return found

    @cached_property
    def freed_bytes(self) -> int:
        """RAM that comes back when the running service stops.

        What its processes hold: shared memory, which each of them counts, at the least that it can be. Memory that the
        driver allocated (pools of releases before 0.5.4.post2) shows in no process: of a verified unit, the pools that
        its plan has count instead where they are more. Never more than is in use at all.
        """
        if not self.own_processes:
            return 0
        held = self.manager.memory_of(sorted(self.own_processes))
        measured = held.anonymous_bytes + held.shared_bytes // max(1, held.processes)
        in_use = self._meminfo["MemTotal"] - self.available_bytes
        return max(0, min(max(measured, self._planned_bytes()), in_use))

    def _planned_bytes(self) -> int:
        """The host pools of the unit that runs, if it passed its gate."""
        record = self.record
        if record.attempt is not None or record.verified == ABSENT:
            return 0
        before = decode(self.store.plan(record.verified))
        return (before.promise.host_pool_bytes or 0) if before is not None else 0
