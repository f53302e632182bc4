"""Memory that was not checked, and what is missing for it.

## What it does

Says why the budget of a service's GPUs or of the host's RAM could not be computed (as where it does not run on NVIDIA
GPUs), or is computed without a part, such as weights that `cpu-offload-gb` moves into RAM. Where another finding says
that already (no facts: FCT001; no flag schema: SRV001), nothing is repeated.

## Why

A check that is silent about memory looks like one that found room.

## Bad

```yaml
flags:
  model-path: /models/somebodys-finetune
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 270000000000}
```

## Good

```yaml
flags:
  model-path: /models/somebodys-finetune
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 270000000000}
checkpoints:
  - {path: /models/somebodys-finetune, total-bytes: 16400000000, model: Qwen/Qwen3-8B}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.facts import checkpoint_not_found
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.memory.of_host import HostMemory, Unknown
    from sgfleet.memory.service import Service
    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import MachineView
    from sgfleet.spec.models.facts import Facts

RULE = Rule("MEM030", "memory-not-checked", Severity.NOTE, "machine")

_LONGEST: Final = 120
"""A reason that is longer quotes a value of which another rule says what is wrong."""


def check(view: MachineView) -> Iterator[Problem]:
    """What is missing."""
    args, facts = arguments(view), view.facts
    if args is None or facts is None or view.memory is None or not args.given or args.said("model-path") is None:
        return
    from sgfleet.memory import of_host
    from sgfleet.memory.device import ON_GPUS

    device = args.text("device")
    if device not in ON_GPUS:
        message = f"not checked: memory: the arithmetic is that of NVIDIA GPUs, and device is {quoted(device or '')}"
        yield Problem(args.route("device"), message, based_on=("device",))
        return
    if facts.gpus == ():
        return

    memory = view.memory()
    unknown, name = memory.budget(view.name), view.name
    based_on = (f"hosts/{view.host}/facts.yaml", "schema/models")
    if isinstance(unknown, of_host.Unknown):
        if unknown.what == "release" or (unknown.what == "gpu" and not _has_memory(facts)):
            return
        if unknown.what == "model" and any(True for _ in checkpoint_not_found.check(view)):
            return
        yield _of_model(args, unknown, based_on)
        return
    service = memory.service(name)
    if isinstance(service, of_host.Unknown):
        return
    yield from _not_followed(args, service)
    if missing := list(_missing(memory, service, facts)):
        yield Problem(
            args.route("enable-hierarchical-cache"),
            f"not checked: {'; '.join(missing)}",
            help="run `sgfleet facts` on the host and commit what it writes",
            based_on=based_on,
        )


def _has_memory(facts: Facts) -> bool:
    return bool(facts.gpus) and all(gpu.memory_mib is not None for gpu in facts.gpus or ())


def _of_model(args: Arguments, unknown: Unknown, based_on: tuple[str, ...]) -> Problem:
    help_ = unknown.help
    if unknown.what == "flags":
        flag = unknown.flag or "a flag"
        why = unknown.message.rpartition("cannot be used: ")[2]
        return Problem(
            ("flags",),
            f"not checked: memory: {flag} decides about it and has a name or a value that cannot be used",
            arithmetic=(why,) if len(why) <= _LONGEST else (),
            based_on=based_on,
        )
    if unknown.what == "gpu":
        return Problem(("gpus",), f"not checked: memory of the GPU: {unknown.message}", help=help_, based_on=based_on)
    return Problem(
        args.route("model-path"),
        f"not checked: memory, and what the model asks of its GPUs: {_why(args, unknown)}",
        help=help_ or "`sgfleet model add` reads its configuration; `model:` of the checkpoint in facts.yaml names it",
        based_on=based_on,
    )


def _why(args: Arguments, unknown: Unknown) -> str:
    """The reason as `memory` gives it, with a path that is safe to print."""
    path = args.text("model-path") or ""
    why = unknown.message
    return f"{quoted(path)}{why[len(path) :]}" if path and why.startswith(f"{path}: ") else why


def _not_followed(args: Arguments, service: Service) -> Iterator[Problem]:
    """Flags that change what is allocated in ways that the budget does not know."""
    for flag, what in service.settings.unmodelled:
        yield Problem(
            args.route(flag),
            f"not checked: memory is computed without {what}",
            help="what a start said of it is the only figure: `sgfleet observe` keeps it",
            based_on=(f"SGLang {service.settings.release}", flag),
        )


def _missing(memory: HostMemory, service: Service, facts: Facts) -> Iterator[str]:
    """What the host's side leaves open, for a service with host pools."""
    settings = service.settings
    if settings.hicache is None:
        return
    from sgfleet.memory.eras import HOST_NUMA
    from sgfleet.memory.unjudged import ram_unjudged

    yield from ram_unjudged(memory, service.name)
    nodes = {gpu.numa_node for gpu in facts.gpus or ()}
    if HOST_NUMA.at(settings.release) and settings.hicache.numa_bind and nodes == {None}:
        yield (
            f"the NUMA nodes: SGLang {settings.release} binds each rank's host pool to the node of its GPU, and which"
            " that is is not known"
        )
