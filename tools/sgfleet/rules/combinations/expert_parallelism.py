"""Experts on several GPUs, with something that they need and do not have.

## What it does

Holds the flags of mixture-of-experts models against each other: load balancing (`enable-eplb`), two-batch overlap,
the all-to-all backend, the kernels (`moe-runner-backend`) with their quantisation and expert sizes, and
`moe-dense-tp-size`.

## Why

SGLang exits with an AssertionError, some of them empty, when it resolves its arguments.

## Bad

```yaml
flags:
  tp-size: 8
  enable-eplb: true
```

## Good

```yaml
flags:
  tp-size: 8
  ep-size: 8
  enable-eplb: true
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.combinations._rows import Row, attention_dp, judge
from sgfleet.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import Problem, ServiceView

RULE = Rule("CMB022", "expert-parallelism", Severity.ERROR, "service")

_RUNNER, _A2A = "moe-runner-backend", "moe-a2a-backend"
_FORCING = ("deepep", "mooncake", "nixl", "mori", "ascend_fuseep", "flashinfer", "megamoe")
"""All-to-all backends with which the release sets ep-size to tp-size."""


def _no_a2a(args: Arguments) -> bool:
    return args.text(_A2A) in (None, "none") and not args.on("enable-deepep-moe")


def _one_group(args: Arguments) -> bool:
    return (args.integer("ep-size") or 1) == 1 and args.text(_A2A) not in _FORCING


def _runs(args: Arguments, runner: str, *quantizations: str) -> bool:
    """The runner is set and the quantisation is none of those that it knows. None given: the checkpoint decides."""
    quantization = args.text("quantization")
    return args.text(_RUNNER) == runner and quantization is not None and quantization not in quantizations


def _quantization_help(*quantizations: str) -> str:
    return f"quantization may be {', '.join(quantizations)}; or use moe-runner-backend auto"


_CUTLASS = ("modelopt_fp4", "modelopt_fp8")
_TRTLLM_OLD = ("modelopt_fp4", "fp8")
_TRTLLM = ("modelopt_fp4", "fp8", "modelopt_fp8", "compressed-tensors")

ROWS = (
    Row("enable-eplb", _one_group, "enable-eplb needs ep-size above 1",
        lambda args: f"add `ep-size: {args.integer('tp-size') or 8}`", since="0.4.10.post2", hook="moe_hook"),
    Row("enable-two-batch-overlap", _no_a2a, "enable-two-batch-overlap needs a moe-a2a-backend",
        "add `moe-a2a-backend: deepep`", since="0.5.7", until="0.5.14"),
    Row("enable-two-batch-overlap", lambda args: _no_a2a(args) and attention_dp(args) == 1,
        "enable-two-batch-overlap needs a moe-a2a-backend, or attention data parallelism",
        "add `moe-a2a-backend: deepep`", since="0.5.15"),
    Row(_A2A, lambda args: args.text(_A2A) == "flashinfer" and args.text(_RUNNER) != "flashinfer_cutlass",
        "moe-a2a-backend flashinfer needs moe-runner-backend flashinfer_cutlass",
        "add `moe-runner-backend: flashinfer_cutlass`", since="0.5.9", until="0.5.12.post1", others=(_RUNNER,)),
    Row(_RUNNER, lambda args: _runs(args, "flashinfer_cutlass", "modelopt_fp4"),
        "flashinfer_cutlass needs quantization modelopt_fp4", _quantization_help("modelopt_fp4"),
        since="0.5.1", until="0.5.5.post3", others=("quantization",)),
    Row(_RUNNER, lambda args: _runs(args, "flashinfer_cutlass", *_CUTLASS, "nvfp4_online"),
        "flashinfer_cutlass does not work with this quantization", _quantization_help(*_CUTLASS),
        since="0.5.6", others=("quantization",), hook="moe_hook"),
    Row(_RUNNER, lambda args: args.text(_RUNNER) == "flashinfer_cutlass"
        and args.integer("ep-size") not in (None, 1, args.integer("tp-size")) and args.text(_A2A) not in _FORCING,
        "flashinfer_cutlass needs ep-size 1 or the tp-size", lambda args: f"write ep-size {args.integer('tp-size')}",
        since="0.5.6", others=("ep-size",), hook="moe_hook"),
    Row(_RUNNER, lambda args: _runs(args, "flashinfer_trtllm", "modelopt_fp4"),
        "flashinfer_trtllm needs quantization modelopt_fp4", _quantization_help("modelopt_fp4"),
        since="0.5.2", until="0.5.2", others=("quantization",)),
    Row(_RUNNER, lambda args: _runs(args, "flashinfer_trtllm", *_TRTLLM_OLD, "modelopt_fp8"),
        "flashinfer_trtllm does not work with this quantization", _quantization_help(*_TRTLLM_OLD),
        since="0.5.3", until="0.5.6.post2", others=("quantization",)),
    Row(_RUNNER, lambda args: _runs(args, "flashinfer_trtllm", *_TRTLLM),
        "flashinfer_trtllm does not work with this quantization", _quantization_help(*_TRTLLM),
        since="0.5.7", until="0.5.13.post1", others=("quantization",)),
    Row(_RUNNER, lambda args: args.text(_RUNNER) == "cutlass" and args.text("quantization") == "fp8"
        and (args.integer("ep-size") or 1) > 1,
        "moe-runner-backend cutlass with FP8 needs ep-size 1", "remove ep-size, or use another runner",
        since="0.5.4.post3", others=("ep-size",), hook="moe_hook"),
    Row("moe-dense-tp-size", lambda args: args.integer("moe-dense-tp-size") not in (None, 1),
        "moe-dense-tp-size can only be 1", "write 1, or remove it", since="0.4.5.post2", until="0.5.12.post1"),
    Row("moe-dense-tp-size", lambda args: args.integer("moe-dense-tp-size") not in (None, 1, args.integer("tp-size")),
        "moe-dense-tp-size can only be 1 or the tp-size", "write 1, or remove it", since="0.5.13"),
    Row("speculative-moe-runner-backend",
        lambda args: args.text("speculative-moe-runner-backend") == "flashinfer_trtllm",
        "flashinfer_trtllm does not run draft models", "use triton", since="0.5.7", until="0.5.11"),
)  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """What experts need."""
    return judge(view, ROWS)
