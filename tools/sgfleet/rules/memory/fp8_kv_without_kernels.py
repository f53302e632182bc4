"""An FP8 KV cache on a GPU whose kernels cannot read it.

## What it does

Finds `kv-cache-dtype: fp8_e4m3` on GPUs before compute capability 8.9 where Triton kernels read it: with the triton
backend, and before 8.0, where no other backend serves.

## Why

Triton has that type from 8.9 on ("type fp8e4nv not supported in this architecture"): the server ends when it captures
its first graph, after all weights are loaded.

## Bad

```yaml
flags:
  kv-cache-dtype: fp8_e4m3
  attention-backend: triton
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA A100-SXM4-80GB, memory-mib: 81920, compute-capability: "8.0"}
memory: {total-bytes: 540000000000}
```

## Good

```yaml
flags:
  kv-cache-dtype: fp8_e5m2
  attention-backend: triton
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA A100-SXM4-80GB, memory-mib: 81920, compute-capability: "8.0"}
memory: {total-bytes: 540000000000}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.memory._model import capability, gpu_name
from sgfleet.rules.memory._tried import without_remark
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM024", "fp8-kv-without-kernels", Severity.ERROR, "machine")

_BACKENDS = ("attention-backend", "prefill-attention-backend", "decode-attention-backend")


def check(view: MachineView) -> Iterator[Problem]:
    """FP8 rows and Triton before 8.9."""
    args = arguments(view)
    has = capability(view) if args is not None else None
    if args is None or has is None or has >= (8, 9) or args.text("kv-cache-dtype") != "fp8_e4m3":
        return
    if has >= (8, 0) and not any(args.text(flag) == "triton" for flag in _BACKENDS):
        return
    values = ("fp8_e5m2", "auto")
    sound = without_remark(view, str(args.route("kv-cache-dtype")[-1]), values)
    yield Problem(
        args.route("kv-cache-dtype"),
        f"fp8_e4m3 KV rows do not work on compute capability {has[0]}.{has[1]} ({gpu_name(view)})",
        arithmetic=(f"Triton reads fp8_e4m3 from compute capability 8.9 on, and this is {has[0]}.{has[1]}",),
        help=f"write {', or '.join(str(value) for value in sound or values)}",
        based_on=(f"hosts/{view.host}/facts.yaml gpus", "reports of servers that ended with fp8e4nv not supported"),
    )
