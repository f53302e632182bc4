"""Check: the service's GPUs can be used, and nobody else uses them.

A GPU that CUDA cannot open shifts the numbers of those behind it. After an upgrade of the driver without a reboot the
kernel module and the library differ, and no new process gets a GPU while the running one goes on: it would be stopped
for nothing. What another process holds is missing from the KV pool, or the load fails; an SGLang rank that outlived its
service holds 100 GB and more. Processes of this unit, which ends first, and of other units of ours are no strangers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.agent.reason import Reason
from sgfleet.memory.units import GIB, gib

if TYPE_CHECKING:
    from sgfleet.agent.admission.gpu_processes import GpuProcess, GpuUse
    from sgfleet.agent.admission.situation import Situation

UNLISTED_BYTES: Final = 2 * GIB
"""What a driver keeps of a GPU that nobody uses is less."""
MOST_NAMED: Final = 4


def check(situation: Situation) -> Reason | None:
    """The first of: a driver that does not fit, a GPU with a problem, strangers, memory that nobody owns up to."""
    if not situation.may_use_gpus:
        return None
    why = situation.probed.unknown.get("gpus", "")
    if "version mismatch" in why.lower():
        text = f"the NVIDIA driver and its library are of different versions: {why}"
        return Reason("gpu-driver", text, "reboot the host, or load the driver's module again with no GPU in use")
    for gpu in situation.gpus or ():
        if gpu.problem is not None:
            help_ = f"repair it, or take {gpu.index} out of the service's gpus"
            return Reason("gpu-problem", f"GPU {gpu.index} cannot be used: {gpu.problem}", help_)
    if not situation.gpus:
        return None
    indices = {gpu.index for gpu in situation.gpus}
    used = [each for each in situation.gpu_use if each.index in indices]
    return _strangers(situation, used) or (None if situation.owners else _unlisted(used))


def _strangers(situation: Situation, used: list[GpuUse]) -> Reason | None:
    found = [
        (each.index, process) for each in used for process in each.processes if process.pid not in situation.owners
    ]
    if not found:
        return None
    said = [_said(situation, index, process) for index, process in found[:MOST_NAMED]]
    more = f"; and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    ended = " ".join(dict.fromkeys(str(process.pid) for _, process in found[:MOST_NAMED]))
    return Reason("gpu-foreign", f"{'; '.join(said)}{more}", f"end what is of no use any more (kill {ended})")


def _said(situation: Situation, index: int, process: GpuProcess) -> str:
    comm = "".join(each for each in situation.machine.read(f"/proc/{process.pid}/comm") or "" if each.isprintable())
    program = comm or process.program or "a program that cannot be told"
    held = "memory of unknown size" if process.used_bytes is None else gib(process.used_bytes)
    left = "left behind by a service" if comm.startswith("sglang") else "of no service of sgfleet"
    return f"GPU {index}: process {process.pid} ({program}), {left}, holds {held}"


def _unlisted(used: list[GpuUse]) -> Reason | None:
    """Memory in use and no process: of another PID namespace, or of one that hangs in the driver.

    Only where nothing of ours runs: in a container with a PID namespace of its own, a driver lists not even that.
    """
    for each in used:
        if not each.processes and (each.used_bytes or 0) > UNLISTED_BYTES:
            text = f"GPU {each.index}: {gib(each.used_bytes or 0)} are in use, and the driver names no process"
            return Reason("gpu-held", text, "look for containers and for processes in state D; else reset the GPU")
    return None
