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


_OLD_FLAGS = ("enable-ep-moe", "enable-deepep-moe")
"""What turned expert parallelism on before 0.4.10.post2, and until 0.5.2 as well."""


def _old(args: Arguments) -> bool:
    return any(args.on(name) for name in _OLD_FLAGS)


def _no_a2a(args: Arguments) -> bool:
    return args.text(_A2A) in (None, "none") and not args.on("enable-deepep-moe")


def _one_group(args: Arguments) -> bool:
    return (args.integer("ep-size") or 1) == 1 and args.text(_A2A) not in _FORCING and not _old(args)


def _partial_dp(args: Arguments) -> bool:
    """FlashInfer's all-to-all without one way of attention data parallelism for each rank."""
    return args.text(_A2A) == "flashinfer" and attention_dp(args) != args.integer("tp-size")


def _runs(args: Arguments, runner: str, *quantizations: str | None) -> bool:
    """The runner is set and the quantisation is none of those that it knows; None stands for no `quantization`."""
    return args.text(_RUNNER) == runner and args.text("quantization") not in quantizations


def _cutlass(*quantizations: str | None, since: str, until: str | None = None) -> Row:
    return _kernel("flashinfer_cutlass", *quantizations, since=since, until=until)


def _trtllm(*quantizations: str | None, since: str, until: str | None = None) -> Row:
    return _kernel("flashinfer_trtllm", *quantizations, since=since, until=until)


def _kernel(runner: str, *quantizations: str | None, since: str, until: str | None) -> Row:
    known = ", ".join(name for name in quantizations if name)
    return Row(
        _RUNNER,
        lambda args: _runs(args, runner, *quantizations),
        lambda args: f"{runner} does not work with {_quantization(args)} in SGLang {{release}}",
        f"quantization may be {known}; or use moe-runner-backend auto",
        since=since,
        until=until,
        others=("quantization",),
        hook="moe_hook",
    )


def _exchange(*runners: str, since: str, until: str | None = None) -> Row:
    """The runners that take what FlashInfer's all-to-all brings."""
    return Row(
        _A2A,
        lambda args: args.text(_A2A) == "flashinfer" and args.text(_RUNNER) not in runners,
        f"moe-a2a-backend flashinfer needs moe-runner-backend {' or '.join(runners)}",
        f"add `moe-runner-backend: {runners[0]}`",
        since=since,
        until=until,
        others=(_RUNNER,),
        hook="moe_hook",
    )


def _quantization(args: Arguments) -> str:
    name = args.text("quantization")
    return "no quantization" if name is None else f"quantization {name}"


ROWS = (
    Row("enable-eplb", lambda args: not _old(args), "enable-eplb needs enable-ep-moe or enable-deepep-moe",
        "add `enable-ep-moe: true`", since="0.4.9.post5", until="0.4.10.post1"),
    Row("enable-eplb", _one_group, "enable-eplb needs ep-size above 1",
        lambda args: f"add `ep-size: {args.integer('tp-size') or 8}`", since="0.4.10.post2", hook="moe_hook"),
    Row("enable-two-batch-overlap", _no_a2a, "enable-two-batch-overlap needs a moe-a2a-backend",
        "add `moe-a2a-backend: deepep`", since="0.5.7", until="0.5.14"),
    Row("enable-two-batch-overlap", lambda args: _no_a2a(args) and attention_dp(args) == 1,
        "enable-two-batch-overlap needs a moe-a2a-backend, or attention data parallelism",
        "add `moe-a2a-backend: deepep`", since="0.5.15"),
    _exchange("flashinfer_cutlass", since="0.5.9", until="0.5.12.post1"),
    _exchange("flashinfer_cutlass", "flashinfer_cutedsl", since="0.5.13", until="0.5.14"),
    _exchange("flashinfer_cutlass", "flashinfer_cutedsl", "flashinfer_trtllm_routed", since="0.5.15", until="0.5.18"),
    _exchange("flashinfer_cutlass", "flashinfer_cutedsl", "flashinfer_trtllm", "flashinfer_trtllm_routed", "deep_gemm",
              since="0.5.19"),
    Row(_A2A, _partial_dp, "moe-a2a-backend flashinfer needs attention data parallelism over all of tp-size",
        lambda args: f"add `enable-dp-attention: true` and `dp-size: {args.integer('tp-size')}`",
        since="0.5.13", until="0.5.21", others=("tp-size", "dp-size"), hook="moe_hook"),
    Row(_A2A, _partial_dp, "moe-a2a-backend flashinfer needs attention data parallelism over all of tp-size",
        lambda args: f"add `attn-dp-size: {args.integer('tp-size')}`", since="0.5.22", until="0.5.22",
        others=("tp-size", "attn-dp-size"), hook="moe_hook"),
    _cutlass("modelopt_fp4", since="0.5.1", until="0.5.5.post3"),
    _cutlass("modelopt_fp4", "modelopt_fp8", "nvfp4_online", None, since="0.5.6"),
    Row(_RUNNER, lambda args: args.text(_RUNNER) == "flashinfer_cutlass"
        and args.integer("ep-size") not in (None, 1, args.integer("tp-size")) and args.text(_A2A) not in _FORCING,
        "flashinfer_cutlass needs ep-size 1 or the tp-size", lambda args: f"write ep-size {args.integer('tp-size')}",
        since="0.5.6", others=("ep-size",), hook="moe_hook"),
    _trtllm("modelopt_fp4", "fp8", since="0.5.2", until="0.5.4.post1"),
    _trtllm("modelopt_fp4", "fp8", "modelopt_fp8", since="0.5.4.post2", until="0.5.6.post2"),
    _trtllm("modelopt_fp4", "fp8", "modelopt_fp8", "compressed-tensors", None, since="0.5.7", until="0.5.13.post1"),
    _trtllm("modelopt_fp4", "fp8", "modelopt_fp8", "modelopt_mixed", "compressed-tensors", "nvfp4_online", "mxfp8",
            "mxfp4", None, since="0.5.14"),
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
