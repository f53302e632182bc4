"""An attention backend that has no kernels for the GPU.

## What it does

Holds the backends that are given for attention, prefill and decode against the compute capability in the facts, by what
the release asserts: FA3 runs on 9.x, and with models of plain attention on 8.x too; TRT-LLM MHA on 10.x, from 0.5.10
for decode and from 0.5.19 for prefill on 9.x and 12.x as well; TRT-LLM MLA on 10.x. From 0.5.4.post2 to 0.5.14 the
release lets TRT-LLM MLA pass on 12.x, and its kernels refuse the architecture. `cutedsl_mla` runs on 10.x,
`tokenspeed_mla` on 10.x to 12.x, and `hpc_ops` on 9.x.

## Why

Some combinations end when arguments are resolved, others after all weights are loaded, when the first graph is
captured: "unsupported architecture".

## Bad

```yaml
release: "0.5.10"
flags:
  attention-backend: trtllm_mla
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA RTX PRO 6000 Blackwell, memory-mib: 97887, compute-capability: "12.0"}
memory: {total-bytes: 540000000000}
```

## Good

```yaml
release: "0.5.10"
flags:
  attention-backend: flashinfer
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA RTX PRO 6000 Blackwell, memory-mib: 97887, compute-capability: "12.0"}
memory: {total-bytes: 540000000000}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments, between
from sgfleet.rules.memory import _backends
from sgfleet.rules.memory._model import capability, gpu_name
from sgfleet.rules.memory._tried import without_remark
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM022", "backend-without-kernels", Severity.ERROR, "machine")

MAJORS: Final = {
    "cutedsl_mla": ("10.x", (10, 11)),
    "tokenspeed_mla": ("10.x to 12.x", (10, 11, 12)),
    "hpc_ops": ("9.x", (9,)),
}
"""Backend -> where every release that has it lets it run (0.5.12 to 0.5.23: srt/server_args.py, later
srt/arg_groups/overrides.py, and srt/layers/attention/hpc_ops_backend.py). 11.x is let pass beside 10.x."""
_ANYWHERE: Final = ("flashinfer", "triton")
"""What runs on every architecture."""
_KNOWN: Final = ("fa3", "trtllm_mha")
BACKEND_FLAGS = ("attention-backend", "prefill-attention-backend", "decode-attention-backend")


def check(view: MachineView) -> Iterator[Problem]:
    """Backends on the wrong architecture."""
    args = arguments(view)
    has = capability(view) if args is not None else None
    if args is None or has is None:
        return
    for flag in BACKEND_FLAGS:
        backend = args.text(flag)
        if args.said(flag) is None or backend is None:
            continue
        wanted = _wanted(view, backend, _phases(args, flag), has)
        if wanted is None:
            continue
        runs, severity = wanted
        yield Problem(
            args.route(flag),
            f"{backend} does not run on compute capability {has[0]}.{has[1]} ({gpu_name(view)})"
            if severity is Severity.ERROR
            else f"{backend} may not run on compute capability {has[0]}.{has[1]} ({gpu_name(view)})",
            arithmetic=(f"in SGLang {view.service.release} {backend} runs on {runs}",),
            help=sound_backends(view, args, flag),
            based_on=(f"hosts/{view.host}/facts.yaml gpus", f"SGLang {view.service.release}"),
            severity=severity,
        )


def refused(view: MachineView, flag: str, backends: Iterable[str]) -> frozenset[str]:
    """Those of a flag's choices that surely do not run on the service's GPUs, or not with its model."""
    args = arguments(view)
    if args is None or flag not in BACKEND_FLAGS:
        return frozenset()
    has, phases = capability(view), _phases(args, flag)
    found = set()
    for each in backends:
        wanted = _wanted(view, each, phases, has) if has is not None else None
        if (wanted is not None and wanted[1] is Severity.ERROR) or _backends.refusal(view, flag, each) is not None:
            found.add(each)
    return frozenset(found)


def _phases(args: Arguments, flag: str) -> set[str]:
    """What a flag's backend is for."""
    if flag != BACKEND_FLAGS[0]:
        return {flag.partition("-")[0]}
    return {phase for phase in ("prefill", "decode") if args.text(f"{phase}-attention-backend") is None}


def sound_backends(view: MachineView, args: Arguments, flag: str) -> str:
    """A help: of what runs on every architecture and the model takes, that which goes with the other flags."""
    named = [each for each in _ANYWHERE if _backends.refusal(view, flag, each) is None]
    rows, architecture = _backends.own(view)
    if any(row.architectures for row in rows) and capability(view) is not None:
        # Where the model leaves out one of these, others that the rules know the GPUs of may serve.
        runs = [each for each in _KNOWN if all(not row.refuses(each, view.service.release) for row in rows)]
        named += [each for each in runs if each not in refused(view, flag, runs)]
    chooses = _backends.may_be_left_out(view, flag)
    sound = without_remark(view, str(args.route(flag)[-1]), (*named, *((None,) if chooses else ())))
    words = " or ".join(value for value in sound if value is not None)
    if not named and not chooses:
        return f"SGLang {view.service.release} has no backend for {architecture} that runs here: take another release"
    if not sound:
        run = f"{' and '.join(named)} run{'s' if len(named) == 1 else ''} here" if named else "the release can choose"
        return f"{run}, and {'neither' if len(named) > 1 else 'that'} goes with the other flags as they are"
    if None not in sound:
        return f"write {words}"
    return f"write {words}, or remove the flag: the release then chooses" if words else "remove the flag"


def _wanted(view: MachineView, backend: str, phases: set[str], has: tuple[int, int]) -> tuple[str, Severity] | None:
    """Where the backend runs, when it does not run here."""
    release, major = view.service.release, has[0]
    match backend:
        case "fa3":
            if not between(release, "0.4.6.post2"):
                return None if major == 9 else ("9.x", Severity.ERROR)
            if major == 8 and _is_latent(view):
                return "9.x with latent attention", Severity.ERROR
            return None if major in (8, 9) else ("8.x and 9.x", Severity.ERROR)
        case "trtllm_mla":
            if major == 10 or (major == 11 and between(release, "0.5.4.post2")):
                return None
            if between(release, "0.5.15"):
                return "10.x", Severity.WARNING
            return "10.x", Severity.ERROR
        case "trtllm_mha":
            if major == 10:
                return None
            more = (9, 12)
            if between(release, "0.5.19") or (phases == {"decode"} and between(release, "0.5.10")):
                return None if major in more else ("9.x, 10.x and 12.x", Severity.ERROR)
            return "10.x", Severity.ERROR
    runs, majors = MAJORS.get(backend, ("", (major,)))
    return None if major in majors else (runs, Severity.ERROR)


def _is_latent(view: MachineView) -> bool:
    if view.memory is None:
        return False
    from sgfleet.memory.of_host import Unknown

    service = view.memory().service(view.name)
    return not isinstance(service, Unknown) and service.load.shape.is_latent
