"""A host on which nothing speaks against the service. A test spoils one thing."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from facts.library import Library, gpu
from facts.recorded import RecordedMachine
from sgfleet.agent.admission.situation import Situation
from sgfleet.agent.brief import brief_of
from sgfleet.agent.local import Local
from sgfleet.agent.remote import RemoteSettings
from sgfleet.agent.store import Store
from sgfleet.agent.trust import Mode, Signers
from sgfleet.fleet.memories import Memories
from sgfleet.fleet.workspace import Workspace
from sgfleet.render.host import render_service
from sgfleet.render.identity import unit_hash
from support.simulated_systemd import Script, SimulatedSystemd

if TYPE_CHECKING:
    from pathlib import Path

HOST, NAME = "box-01", "sglang-a"
UNIT = f"{NAME}.service"
L40S_MIB = 46068
GIB = 2**30
TWO_GPUS = [
    {"index": each, "name": "NVIDIA L40S", "memory-mib": L40S_MIB, "compute-capability": "8.9"} for each in (0, 1)
]
HICACHE = {"model-path": "Qwen/Qwen3-8B", "tp-size": 2, "enable-hierarchical-cache": True}
HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"


class UsedLibrary(Library):
    """NVML on a machine whose GPUs somebody uses."""

    def nvmlDeviceGetMemoryInfo(self, it):
        return SimpleNamespace(total=it.total, used=it.used)

    def nvmlDeviceGetComputeRunningProcesses(self, it):
        return [SimpleNamespace(pid=pid, usedGpuMemory=used) for pid, used in it.processes]


def l40s(index: int, processes: tuple[tuple[int, int | None], ...] = (), used: int = 600 * 2**20, **changes: Any):
    return gpu(
        name="NVIDIA L40S",
        total=L40S_MIB * 2**20,
        capability=(8, 9),
        bus=f"00000000:{index + 1:02x}:00.0".encode(),
        links=0,
        processes=processes,
        used=used,
        **changes,
    )


def listening(port: int, inode: int, address: str = "00000000", state: str = "0A") -> str:
    """/proc/net/tcp with one socket."""
    queues = "00000000:00000000 00:00000000 00000000"
    return f"{HEAD}   0: {address}:{port:04X} 00000000:0000 {state} {queues}  0 0 {inode} 1\n"


class Made:
    """Everything that a situation is made of, to be changed before `situation` is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.model = folder / "model"
        self.python = folder / "bin/python3"
        self.flags: dict[str, Any] = {"model-path": str(self.model), "port": 31000, "device": "cpu"}
        self.service: dict[str, Any] = {"release": "0.5.9", "python": str(self.python)}
        self.others: dict[str, Any] = {}
        self.fleet: dict[str, Any] | None = None
        self.facts: dict[str, Any] | None = {"gpus": [], "memory": {"total-bytes": 24684096 * 1024}}
        self.machine = RecordedMachine.of("no-gpu")
        self.machine.files["/proc/net/tcp"] = HEAD
        self.manager = SimulatedSystemd(read=lambda content: Script())
        self.store = Store(folder / "state")
        self.local: dict[str, Any] = {}
        self.brief = True
        self._files()

    def _files(self) -> None:
        self.model.mkdir(parents=True)
        (self.model / "config.json").write_text("{}")
        shards = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
        index = {"weight_map": {f"layer.{number}": name for number, name in enumerate(shards)}}
        (self.model / "model.safetensors.index.json").write_text(json.dumps(index))
        for name in shards:
            (self.model / name).write_bytes(b"weights")
        self.python.parent.mkdir(parents=True)
        self.python.write_text("#!/bin/sh\n")
        self.python.chmod(0o755)

    def with_gpus(self, *gpus: Any) -> Made:
        """Two L40S, as committed and as they are; or others."""
        self.machine._library = UsedLibrary(list(gpus) or [l40s(0), l40s(1)])
        assert self.facts is not None
        self.facts["gpus"] = TWO_GPUS
        self.service["gpus"] = [0, 1]
        self.flags = {**self.on_gpus, "tp-size": 2}
        return self

    @property
    def on_gpus(self) -> dict[str, Any]:
        """The flags without the one that asks for the CPU."""
        return {name: value for name, value in self.flags.items() if name != "device"}

    def with_ram(self, total_gib: float, available_gib: float) -> Made:
        """So much is there now."""
        total, available = int(total_gib * 2**20), int(available_gib * 2**20)
        self.machine.files["/proc/meminfo"] = f"MemTotal: {total} kB\nMemAvailable: {available} kB\n"
        assert self.facts is not None
        self.facts["memory"] = {"total-bytes": total * 1024, "available-bytes": total * 1024}
        return self

    def run(self, name: str = UNIT, **script: Any) -> None:
        """The service as it is specified now is installed, and runs."""
        self.manager.read_script = lambda content: Script(**script)
        text = self.situation.text.replace(f"Service={NAME}\n", f"Service={name.removesuffix('.service')}\n")
        self.manager.install(name, text.encode())
        self.manager.reload()
        self.manager.start(name)
        self.manager.advance(1000)

    @property
    def processes(self) -> tuple[int, ...]:
        """Of the service that runs."""
        return self.manager.world.processes_of(UNIT)

    @property
    def situation(self) -> Situation:
        """It all, written down and read."""
        root = self.folder / "repository"
        host = {"host": HOST, "services": {NAME: {**self.service, "flags": self.flags}, **self.others}}
        files = {f"hosts/{HOST}/host.yaml": host, "fleet.yaml": self.fleet}
        files[f"hosts/{HOST}/facts.yaml"] = self.facts and {"format": 1, "host": HOST, **self.facts}
        for path, data in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).unlink(missing_ok=True)
            if data is not None:
                (root / path).write_text(json.dumps(data))
        workspace = Workspace(root)
        spec = workspace.repository.host(HOST)
        resolved = spec.services[NAME]
        release = workspace.release(resolved.service.release)
        assert release is not None
        text = render_service(HOST, resolved, release)
        assert isinstance(text, str), text
        remote = RemoteSettings(url="https://example.com/fleet.git")
        return Situation(
            local=Local(HOST, remote, Signers(Mode.NONE), state=self.store.folder, **self.local),
            name=NAME,
            text=text,
            unit=unit_hash(text),
            brief=brief_of(NAME, resolved.service, release, Memories(workspace).of(spec)(), spec.facts)
            if self.brief
            else None,
            workspace=workspace,
            spec=spec,
            manager=self.manager,
            store=self.store,
            machine=self.machine,
            present=self.manager.show([UNIT])[UNIT],
        )
