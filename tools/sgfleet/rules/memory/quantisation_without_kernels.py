"""Quantised weights that the GPU is too old for.

## What it does

Takes the quantisation that `quantization` or the checkpoint names, and the least compute capability that the release
has for it: 8.0 for FP8 weights, 8.9 for ModelOpt's FP8 and for W8A8 FP8, 10.0 for ModelOpt's FP4 before 0.5.13 and 8.0
after.

## Why

The release holds the one against the other when it loads the model, and ends with "not supported for the current GPU".

## Bad

```yaml
release: "0.5.9"
flags:
  quantization: modelopt_fp4
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 270000000000}
```

## Good

```yaml
release: "0.5.9"
flags:
  quantization: fp8
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 270000000000}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments, between
from sgfleet.rules.memory._model import capability, gpu_name
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM023", "quantisation-without-kernels", Severity.ERROR, "machine")

_LEAST = {"fp8": (8, 0), "modelopt_fp8": (8, 9), "w8a8_fp8": (8, 9)}
"""From get_min_capability() of each method, the same from 0.4.0.post1 (fp8) and 0.4.4 on."""


def check(view: MachineView) -> Iterator[Problem]:
    """Less than the least."""
    args = arguments(view)
    has = capability(view) if args is not None else None
    if args is None or has is None or has >= (10, 0):
        return
    method, source = args.text("quantization"), f"SGLang {view.service.release}"
    if method is None:
        method, source = _of_checkpoint(view)
    least = _least(method, view.service.release)
    if least is None or has >= least:
        return
    yield Problem(
        args.route("quantization" if args.said("quantization") is not None else "model-path"),
        f"{method} needs compute capability {least[0]}.{least[1]}, and {gpu_name(view)} has {has[0]}.{has[1]}",
        arithmetic=(f"SGLang {view.service.release}: {method} from {least[0]}.{least[1]} on",),
        help="take a checkpoint in another format, such as AWQ, GPTQ or BF16, or a newer GPU",
        based_on=(f"hosts/{view.host}/facts.yaml gpus", source),
    )


def _least(method: str | None, release: str) -> tuple[int, int] | None:
    if method == "modelopt_fp4":
        return (8, 0) if between(release, "0.5.13") else (10, 0)
    return _LEAST.get(method or "")


def _of_checkpoint(view: MachineView) -> tuple[str | None, str]:
    """The method of the checkpoint, in the release's words."""
    if view.memory is None:
        return None, ""
    from sgfleet.memory.of_host import Unknown

    service = view.memory().service(view.name)
    if isinstance(service, Unknown) or service.load.shape.quantisation is None:
        return None, ""
    shape = service.load.shape
    method = service.load.shape.quantisation.method
    formats = {storage.format for _, storage in service.load.shape.quantisation.parts}
    if method == "modelopt":
        method = "modelopt_fp4" if "nvfp4" in formats else "modelopt_fp8"
    return method, shape.source.name
