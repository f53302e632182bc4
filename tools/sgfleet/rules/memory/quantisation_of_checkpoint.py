"""A quantisation that is not the checkpoint's.

## What it does

Holds `quantization` against what the model's facts say of its weights. Where the checkpoint names a method, the flag
must name the same, or one that the release takes for it: `gptq_marlin` and `moe_wna16` for GPTQ, `awq_marlin` and
`moe_wna16` for AWQ, `w8a8_int8` (from 0.4.1.post6) and `w8a8_fp8` (from 0.4.4) for compressed-tensors, `modelopt_fp4`
(from 0.5.18) for FP8. Where it names none, AWQ, GPTQ, compressed-tensors (from 0.5.4) and their like have nothing
to read; `fp8` and others that convert at load are let pass.

Not judged, and let pass without a word: methods that a release may convert between in other ways, checkpoints of
ModelOpt, and quantised models with a vision tower (Kimi-K2.5), which may keep the description where the release does
not compare it.

## Why

The release compares the two when it reads the model's configuration, in all releases from 0.4.0 on
(`ModelConfig._verify_quantization` in srt/configs/model_config.py), and looks for the method's own file where the
configuration names none (`get_quant_config` in srt/model_loader/weight_utils.py). Compressed-tensors has no such file,
and its class cannot be made without a description. Each of these ends the start.

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-32B-FP8
  quantization: awq
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
  model-path: Qwen/Qwen3-32B-FP8
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
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.model.shape import ModelShape
    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM028", "quantisation-of-checkpoint", Severity.ERROR, "machine")

_JUDGED: Final = frozenset(
    {
        *("awq", "awq_marlin", "gptq", "gptq_marlin", "moe_wna16", "qoq", "bitsandbytes", "compressed-tensors"),
        *("fp8", "w8a8_fp8", "w8a8_int8", "blockwise_int8", "modelopt_fp8", "modelopt_fp4"),
    }
)
"""Values of the flag that no release rewrites before it compares, whatever the checkpoint."""

TAKEN: Final[dict[str, dict[str, str]]] = {
    "fp8": {"modelopt_fp4": "0.5.18"},
    "compressed-tensors": {"w8a8_int8": "0.4.1.post6", "w8a8_fp8": "0.4.4"},
    "gptq": {"gptq_marlin": "0.4.0", "moe_wna16": "0.4.0"},
    "awq": {"awq_marlin": "0.4.0", "moe_wna16": "0.4.0"},
    "mxfp4": dict.fromkeys(("fp8", "w8a8_fp8", "modelopt_fp8", "modelopt_fp4"), "0.4.0"),
}
"""Method of a checkpoint -> other values that are taken for it, or not judged beside it -> the first release that takes
them. What hangs on details of the checkpoint counts as taken."""

NEEDS_FILE: Final = {
    "gptq": "0.4.3.post3",
    "gptq_marlin": "0.4.3.post3",
    "awq": "0.4.4.post3",
    "moe_wna16": "0.4.4.post4",
    "qoq": "0.4.6.post5",
    "awq_marlin": "0.4.9.post3",
}
"""Methods with a file of their own beside the weights -> the first release whose own code says so
(`get_config_filenames` of each class below srt/layers/quantization); earlier ones leave it to vLLM."""

NEEDS_DESCRIPTION: Final = {"compressed-tensors": "0.5.4"}
"""Methods without such a file that cannot do without the configuration's description -> the first release that has the
choice; its class says so in all of them (`CompressedTensorsConfig` below srt/layers/quantization)."""


def check(view: MachineView) -> Iterator[Problem]:
    """A method that the weights are not stored in."""
    args = arguments(view)
    given = args.said("quantization") if args is not None else None
    asked = args.text("quantization") if args is not None else None
    if args is None or given is None or asked is None or asked.lower() not in _JUDGED or view.memory is None:
        return
    if args.may_be_said("json-model-override-args") or args.text("device") not in (None, "cuda"):
        return
    from sgfleet.memory.of_host import Unknown

    service = view.memory().service(view.name)
    if isinstance(service, Unknown):
        return
    shape, release = service.load.shape, view.service.release
    why = _refusal(asked.lower(), shape, release)
    if why is None:
        return
    stored = shape.quantisation.method if shape.quantisation is not None else None
    yield Problem(
        given.route,
        f"quantization {asked} is not how {shape.source.name} is stored: {why}",
        arithmetic=(f"SGLang {release} takes for {stored} weights {_taken(stored, release)}",) if stored else (),
        help=f"remove {given.name}{': the release reads it from the checkpoint' if stored else ''},"
        f" or take a checkpoint that is stored as {asked}",
        based_on=(_source(shape), f"SGLang {release}, srt/configs/model_config.py"),
        severity=None if _is_sure(shape, stored) else Severity.WARNING,
    )


def _refusal(asked: str, shape: ModelShape, release: str) -> str | None:
    """Why the release does not start; None where it may."""
    if shape.quantisation is None:
        needs = NEEDS_FILE.get(asked) or NEEDS_DESCRIPTION.get(asked)
        if needs is None or not between(release, needs):
            return None
        return f"it is not quantised, and {asked} needs a checkpoint that is"
    stored = shape.quantisation.method
    # A model with a tower may keep the description where the release does not compare it.
    if stored not in TAKEN or shape.vision is not None or asked == stored:
        return None
    since = TAKEN[stored].get(asked)
    return None if since is not None and between(release, since) else f"its weights are {stored}"


def _taken(stored: str, release: str) -> str:
    taken = [each for each, since in TAKEN[stored].items() if each in _JUDGED and between(release, since)]
    return ", ".join([stored, *taken])


def _is_sure(shape: ModelShape, stored: str | None) -> bool:
    """Whether the folder is this checkpoint, or at least says in its name how it is stored."""
    source = shape.source
    return source.match == "exact" or (stored is not None and stored in (source.asked or "").lower())


def _source(shape: ModelShape) -> str:
    source = shape.source
    return source.name if source.match == "exact" else f"{source.name}, by the name {source.asked}"
