"""An attention backend for models of another kind.

## What it does

Holds the backends that are given for attention, prefill and decode against the kind of attention in the model's facts.
Latent attention (DeepSeek, Kimi) is asked for by `trtllm_mla`, `cutedsl_mla` (from 0.5.13), `tokenspeed_mla` (from
0.5.12), `flashmla` and `cutlass_mla`; sparse latent attention (DeepSeek V3.2, GLM-5) by `nsa` and `dsa`; any other than
latent attention by `trtllm_mha`, `hpc_ops` (from 0.5.17) and `llada2_cfg_flashinfer` (from 0.5.22).

Some architectures have a list of their own, whatever their attention: gpt-oss (from 0.5.1), Llama 4 (from 0.4.9.post4),
Gemma 4 (from 0.5.13) and EXAONE 4 with windows (from 0.5.9); Olmo 2 refuses `flashinfer` (from 0.5.4), Nemotron-H
(0.5.7 to 0.5.18) and LFM2 (from 0.5.9) `triton`. Gated delta nets (Qwen3-Next, Qwen3.5) have one on compute capability
10.x, from 0.5.3 to 0.5.20. Whether a list grew later is known for each release.

## Why

The backend is made when the model is there: some say it then (srt/layers/attention/attention_registry.py), `flashmla`
and `cutlass_mla` read a rank of the latent rows that other models have not (srt/layers/attention/flashmla_backend.py,
0.5.9 to 0.5.23), and `nsa` and `dsa` assert their models (nsa_backend.py, later dsa_backend.py). All weights have been
loaded by then. The lists of single architectures are asserted when the release resolves its arguments
(srt/server_args.py, from 0.5.19 on srt/arg_groups/model_hook.py), that of gated delta nets when the backend is made.

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-8B
  attention-backend: flashmla
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA H100 80GB HBM3, memory-mib: 81559, compute-capability: "9.0"}
memory: {total-bytes: 540000000000}
```

## Good

```yaml
flags:
  model-path: Qwen/Qwen3-8B
  attention-backend: flashinfer
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA H100 80GB HBM3, memory-mib: 81559, compute-capability: "9.0"}
memory: {total-bytes: 540000000000}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments, between
from sgfleet.rules.memory import _backends
from sgfleet.rules.memory._model import Kind, kinds
from sgfleet.rules.memory.backend_without_kernels import BACKEND_FLAGS, sound_backends
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM029", "backend-of-another-model", Severity.ERROR, "machine")

WANTS: Final[dict[str, Kind]] = {
    **dict.fromkeys(("trtllm_mla", "cutedsl_mla", "tokenspeed_mla", "flashmla", "cutlass_mla"), "latent"),
    **dict.fromkeys(("nsa", "dsa"), "sparse-latent"),
    **dict.fromkeys(("trtllm_mha", "hpc_ops", "llada2_cfg_flashinfer"), "plain"),
}
"""Backend -> the kind of attention that it is for, in every release that has it."""

_WORDS: Final[dict[Kind, str]] = {
    "latent": "latent attention (MLA)",
    "sparse-latent": "sparse latent attention (DSA)",
    "plain": "attention that is not latent",
}


def check(view: MachineView) -> Iterator[Problem]:
    """Backends that the model has nothing for."""
    args = arguments(view)
    if args is None:
        return
    said = {flag: backend for flag in BACKEND_FLAGS if (backend := args.text(flag)) and args.said(flag) is not None}
    judged = not args.on("disable-mla") and any(backend in WANTS for backend in said.values())
    found = kinds(view) if judged else None
    for flag, backend in said.items():
        wanted = WANTS.get(backend)
        if found is not None and wanted is not None and wanted not in found[0]:
            yield Problem(
                args.route(flag),
                f"{backend} is for models with {_WORDS[wanted]}, and {found[1]} is none",
                help=sound_backends(view, args, flag),
                based_on=(found[1], f"SGLang {view.service.release}, srt/layers/attention"),
            )
        elif (against := _backends.refusal(view, flag, backend)) is not None:
            yield _refused(view, args, flag, backend, against)


def _refused(
    view: MachineView, args: Arguments, flag: str, backend: str, against: tuple[_backends.Own, str]
) -> Problem:
    """A backend that the release does not take for the architecture."""
    row, architecture = against
    release = view.service.release
    taken, here = row.taken(release), "" if row.architectures else " on compute capability 10.x"
    return Problem(
        args.route(flag),
        f"SGLang {release} does not take {backend} for {architecture}{here}",
        arithmetic=(f"it takes {', '.join(taken)}",) if taken else (),
        help=sound_backends(view, args, flag),
        based_on=(f"SGLang {release}, {_source(row, release)}",),
    )


def _source(row: _backends.Own, release: str) -> str:
    if not row.architectures:
        return "srt/layers/attention/attention_registry.py"
    return "srt/arg_groups/model_hook.py" if between(release, "0.5.19") else "srt/server_args.py"
