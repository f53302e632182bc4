"""An attention backend for models of another kind.

## What it does

Holds the backends that are given for attention, prefill and decode against the kind of attention in the model's facts.
Latent attention (DeepSeek, Kimi) is asked for by `trtllm_mla`, `cutedsl_mla` (from 0.5.13), `tokenspeed_mla` (from
0.5.12), `flashmla` and `cutlass_mla`; sparse latent attention (DeepSeek V3.2, GLM-5) by `nsa` and `dsa`; any other than
latent attention by `trtllm_mha`, `hpc_ops` (from 0.5.17) and `llada2_cfg_flashinfer` (from 0.5.22).

## Why

The backend is made when the model is there: some say it then (srt/layers/attention/attention_registry.py), `flashmla`
and `cutlass_mla` read a rank of the latent rows that other models have not (srt/layers/attention/flashmla_backend.py,
0.5.9 to 0.5.23), and `nsa` and `dsa` assert their models (nsa_backend.py, later dsa_backend.py). All weights have been
loaded by then.

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
from sgfleet.rules.arguments import arguments
from sgfleet.rules.memory._model import Kind, kinds
from sgfleet.rules.memory.backend_without_kernels import BACKEND_FLAGS, sound_backends
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    if args is None or args.on("disable-mla"):
        return
    asked = {flag: backend for flag in BACKEND_FLAGS if (backend := args.text(flag)) in WANTS}
    found = kinds(view) if asked else None
    if found is None:
        return
    has, source = found
    for flag, backend in asked.items():
        wanted = WANTS[str(backend)]
        if args.said(flag) is None or wanted in has:
            continue
        yield Problem(
            args.route(flag),
            f"{backend} is for models with {_WORDS[wanted]}, and {source} is none",
            help=sound_backends(view, str(args.route(flag)[-1])),
            based_on=(source, f"SGLang {view.service.release}, srt/layers/attention"),
        )
